import JSON
import MAM
import Model

/// All events, as they happen, for a reader that continues after the last event it saw. Reads may block.
package struct EventFeed: AsyncSequence, Sendable {
  package struct Entry: Equatable, Sendable {
    /// What the reader continues from. It names the store too, because numbers of two stores cannot be compared.
    package let id: String
    package let name: String
    /// The params of the notification, as JSON text.
    package let params: [UInt8]
  }

  private let events: EventLog
  private let query: EventQuery?
  /// Where the feed begins if there is no query.
  private let start: EventStart

  /// Begins after the newest event if `lastID` is `nil`. An id that was never issued is answered with a gap.
  init(events: EventLog, after lastID: String?) {
    self.events = events
    query = lastID.map(EventQuery.init(lastID:))
    start = query == nil ? events.start() : EventStart(0)
  }

  package func makeAsyncIterator() -> Iterator { Iterator(events: events, query: query, start: start) }
}

extension EventFeed {
  /// Reads events, one page at a time.
  package struct Iterator: AsyncIteratorProtocol {
    package typealias Failure = Never

    private let events: EventLog
    private let start: EventStart
    private var query: EventQuery?
    /// The rest of the page in reverse order: the last entry is the next to return.
    private var page: [Entry] = []

    fileprivate init(events: EventLog, query: EventQuery?, start: EventStart) {
      self.events = events
      self.query = query
      self.start = start
    }

    /// The next entry; `nil` if the task is cancelled.
    package mutating func next() async -> Entry? {
      while !Task.isCancelled {
        if let entry = page.popLast() { return entry }
        do throws(MAMError) {
          try await readPage()
        } catch {
          // Calls report what is wrong with the store, which may recover.
          try? await Task.sleep(for: .seconds(1))
        }
      }
      return nil
    }

    private mutating func readPage() async throws(MAMError) {
      if query == nil { query = EventQuery(after: try events.settle(start)) }
      guard let query else { return }
      let read = try await events.list(query, waitingUntil: nil)
      self.query = EventQuery(after: read.next, stream: read.stream)
      page = read.entries.reversed()
    }
  }
}

extension EventQuery {
  fileprivate init(lastID: String) {
    let end = lastID.lastIndex(of: "/") ?? lastID.startIndex
    guard let seq = Int64(lastID[end...].dropFirst()), seq >= 0 else {
      self.init(after: 0, stream: "")
      return
    }
    self.init(after: seq, stream: String(lastID[..<end]))
  }
}

extension EventPage {
  fileprivate var entries: [EventFeed.Entry] {
    let told = gap.map { gap in
      EventFeed.Entry(
        id: id(events.isEmpty ? next : gap.upperBound), name: EventsGap.name,
        params: Array(EventGap(gap).jsonText.utf8))
    }
    return [told].compactMap { $0 }
      + events.map { event in
        EventFeed.Entry(
          id: id(event.seq), name: event.type, params: EventText.params(event))
      }
  }

  private func id(_ seq: Int64) -> String { "\(stream)/\(seq)" }
}
