import JSON
import Model
import SQLite
import Support

/// An event as it is stored.
package struct StoredEvent: Hashable, Sendable {
  /// Rises by one from 1 in each store.
  package var seq: Int64
  package var time: Timestamp
  /// The name of the notification.
  package var type: String
  /// The members of the notification except `seq` and `time`, as the text of a JSON object.
  package var body: String
  /// The request that caused the event, as JSON text; empty if none did.
  var causeText = ""

  package var cause: RequestCause? {
    causeText.isEmpty ? nil : (try? JSONDocument(parsing: causeText)).flatMap { try? RequestCause.decode($0.root) }
  }

  /// An event that is appended has the `seq` 0.
  static let table = Table("events", blank: StoredEvent(seq: 0, time: .never, type: "", body: "")) { event, column in
    column("seq", &event.seq, .numbered)
    column("time", &event.time)
    column("type", &event.type)
    column("body", &event.body)
    column("cause", &event.causeText, .hasDefault, since: 14)
  }
}

/// Which events to return, and how many at a time.
package struct EventQuery: Sendable {
  /// `next` of the previous page; 0 for all events that are kept.
  package var after: Int64
  /// The stream that `after` belongs to; `nil` if the reader does not know.
  package var stream: String?
  /// `nil` for all types.
  package var types: Set<String>?
  package var limit: Int
  /// The maximum size of all events of a page, in bytes. The first event is returned in any case.
  package var byteLimit = 1 << 20

  package init(after: Int64, stream: String? = nil, types: Set<String>? = nil, limit: Int = 100) {
    self.after = after
    self.stream = stream
    self.types = types
    self.limit = limit
  }
}

/// Events in the order of their numbers, and where to continue.
package struct EventPage: Hashable, Sendable {
  /// Names the store: numbers of two stores cannot be compared.
  package let stream: String
  package let events: [StoredEvent]
  /// The number of the last event that was considered.
  package let next: Int64
  /// Numbers of events that can no longer be read, or never could.
  package let gap: ClosedRange<Int64>?

  package var isEmpty: Bool { events.isEmpty && gap == nil }
}

extension Connection {
  /// The number of the newest event; 0 if there has been none.
  var newestEvent: Int64 {
    get throws(SQLiteError) {
      try value("SELECT coalesce(max(seq), 0) FROM events") ?? 0
    }
  }

  /// Call this in one transaction.
  func events(_ query: EventQuery) throws(SQLiteError) -> EventPage {
    let stream = try fact("stream") ?? ""
    let newest = try newestEvent
    guard query.stream ?? stream == stream, query.after <= newest else {
      // The reader's number means nothing in this stream: every event may be new to the reader.
      return EventPage(stream: stream, events: [], next: newest, gap: min(1, newest)...newest)
    }
    let oldest: Int64? = try value("SELECT min(seq) FROM events") ?? nil
    let (events, isCut) = try events(after: query)
    return EventPage(
      stream: stream, events: events, next: isCut ? events.last?.seq ?? query.after : newest,
      gap: oldest.flatMap { query.after + 1 < $0 ? query.after + 1...$0 - 1 : nil })
  }

  /// Returns the events, and whether there may be more.
  private func events(after query: EventQuery) throws(SQLiteError) -> ([StoredEvent], isCut: Bool) {
    let types = query.types.map { $0.sorted() }
    let marks = types.map { Array(repeating: "?", count: $0.count).joined(separator: ", ") }
    let condition = marks.map { " AND type IN (\($0))" } ?? ""
    let rest = "WHERE seq > ?\(condition) ORDER BY seq"
    var (events, bytes, isCut): ([StoredEvent], Int, Bool) = ([], 0, false)
    try read(StoredEvent.table, rest, with: [query.after] + (types ?? [])) { event throws(SQLiteError) in
      bytes += event.type.utf8.count + event.body.utf8.count
      isCut = events.count >= query.limit || (bytes > query.byteLimit && !events.isEmpty)
      if !isCut { events.append(event) }
      return !isCut
    }
    return (events, isCut)
  }
}
