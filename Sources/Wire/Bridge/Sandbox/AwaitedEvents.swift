import JSON
import MAM
import Model
import Support

/// Which events a test has waited for: no wait returns what an earlier one returned.
final class AwaitedEvents: Sendable {
  private struct Waiting: Sendable {
    /// The number after which events are waited for, and its stream; `nil` for all that are kept.
    var after: (seq: Int64, stream: String)?
    var taken: Set<Int64> = []
  }

  private let waiting = Lock(Waiting())

  /// After a restored state, only what happens from now on is waited for.
  func beginAgain(_ core: Core) throws(MAMError) {
    // The page after the largest number tells the newest one.
    let page = try core.events.list(EventQuery(after: 1 << 53, limit: 1))
    waiting.withLock { $0 = Waiting(after: (page.next, page.stream)) }
  }

  /// What a wait has found.
  struct Found {
    /// `nil` if the deadline came first.
    var event: StoredEvent?
    /// The names of the events that nobody has waited for.
    var others: Set<String> = []
    /// When the last event of the name came that an earlier wait has returned; `nil` if there was none.
    var former: Timestamp?
  }

  /// Waits for the first event of a name, and for an identity if one is given.
  func next(
    _ name: String, of identity: String?, until deadline: ContinuousClock.Instant, in core: Core
  ) async throws(MAMError) -> Found {
    let start = waiting.withLock { $0.after }
    var query = EventQuery(after: start?.seq ?? 0, stream: start?.stream, limit: 1_000)
    var found = Found()
    while true {
      let page = try await core.events.list(query, waitingUntil: deadline)
      for event in page.events {
        let isWanted = event.type == name && event.isAbout(identity)
        let isTaken = waiting.withLock { waiting in
          isWanted ? !waiting.taken.insert(event.seq).inserted : waiting.taken.contains(event.seq)
        }
        switch (isWanted, isTaken) {
        case (true, true): found.former = event.time
        case (true, false):
          found.event = event
          return found
        case (false, true): break
        case (false, false): found.others.insert(event.type)
        }
      }
      if page.isEmpty { return found }
      (query.after, query.stream) = (page.next, page.stream)
    }
  }
}

extension StoredEvent {
  fileprivate func isAbout(_ identity: String?) -> Bool {
    guard let identity else { return true }
    let named = (try? JSONValue(parsing: body))?["identity"]?.stringValue
    return named?.lowercased() == identity.lowercased()
  }
}
