import Model
import Support

/// The events of one change of the store, for those who hear of them when it is committed.
final class AppendedEvents: Sendable {
  private let events = Lock<[CoreEvent]>([])

  var all: [CoreEvent] { events.withLock { $0 } }

  func append(_ event: CoreEvent) {
    events.withLock { $0.append(event) }
  }
}
