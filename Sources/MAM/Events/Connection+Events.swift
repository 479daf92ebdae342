import SQLite
import Support

extension Connection {
  /// The number of the newest event; 0 when there was none yet.
  var newestEvent: Int64 {
    get throws(SQLiteError) {
      try value("SELECT coalesce(max(seq), 0) FROM events") ?? 0
    }
  }

  /// To be read in one transaction.
  func events(_ query: EventQuery) throws(SQLiteError) -> EventPage {
    let stream = try fact("stream") ?? ""
    let newest = try newestEvent
    guard query.stream ?? stream == stream, query.after <= newest else {
      // The reader's number means nothing here: all there was may be news to it.
      return EventPage(stream: stream, events: [], next: newest, gap: min(1, newest)...newest)
    }
    let oldest: Int64? = try value("SELECT min(seq) FROM events") ?? nil
    let (events, isCut) = try events(after: query)
    return EventPage(
      stream: stream, events: events, next: isCut ? events.last?.seq ?? query.after : newest,
      gap: oldest.flatMap { query.after + 1 < $0 ? query.after + 1...$0 - 1 : nil })
  }

  /// Also whether there may be more than these.
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
