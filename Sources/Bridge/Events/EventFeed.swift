import JSON
import MAM
import Model

/// All events, one after the other as they happen, for a reader that knows which it has seen last. Reads may block.
package struct EventFeed: AsyncSequence, Sendable {
  package struct Entry: Equatable, Sendable {
    /// What the reader comes back with: names the store too, for numbers of two stores cannot be compared.
    package let id: String
    package let name: String
    /// JSON text, as the notification of this name has it.
    package let params: [UInt8]
  }

  private let events: EventLog
  private let query: EventQuery?
  /// Where it begins without a query.
  private let start: EventStart

  /// Behind the newest event when `lastID` is nil. One that was never given is answered with a gap.
  init(events: EventLog, after lastID: String?) {
    self.events = events
    query = lastID.map(EventQuery.init(lastID:))
    start = query == nil ? events.start() : EventStart(0)
  }

  package func makeAsyncIterator() -> Iterator { Iterator(events: events, query: query, start: start) }
}

extension EventFeed {
  /// Holds one page at a time.
  package struct Iterator: AsyncIteratorProtocol {
    package typealias Failure = Never

    private let events: EventLog
    private let start: EventStart
    private var query: EventQuery?
    /// The last one is the next one.
    private var page: [Entry] = []

    fileprivate init(events: EventLog, query: EventQuery?, start: EventStart) {
      self.events = events
      self.query = query
      self.start = start
    }

    /// Nil when the task is cancelled.
    package mutating func next() async -> Entry? {
      while !Task.isCancelled {
        if let entry = page.popLast() { return entry }
        do throws(MAMError) {
          try await readPage()
        } catch {
          // Calls tell what is wrong with the store; it may be mended.
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
        let stamp = EventStamp(seq: event.seq, time: event.time)
        return EventFeed.Entry(
          id: id(event.seq), name: event.type, params: EventText.params(stamp, body: event.body))
      }
  }

  private func id(_ seq: Int64) -> String { "\(stream)/\(seq)" }
}
