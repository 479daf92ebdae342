import Model
import Support

/// Where a reader of events begins: after the event that was the newest when the start was made.
///
/// Its number may have to be read from the disk. Until then, each change by this core settles the number first, so that
/// the reader misses none of these changes. It may miss a change that another process makes in this short time.
package final class EventStart: Sendable {
  private let number: Lock<Int64?>

  package init(_ seq: Int64? = nil) {
    number = Lock(seq)
  }

  /// `nil` until it is known.
  package var seq: Int64? { number.withLock { $0 } }

  /// A number that is settled does not change.
  func settle(_ newest: Int64) {
    number.withLock { $0 = $0 ?? newest }
  }
}

/// The starts of a core that are not settled yet.
final class UnsettledStarts: Sendable {
  private let starts = Lock<[EventStart]>([])

  func add(_ start: EventStart) {
    starts.withLock { $0.append(start) }
  }

  func remove(_ start: EventStart) {
    starts.withLock { $0.removeAll { $0 === start } }
  }

  var isEmpty: Bool { starts.withLock { $0.isEmpty } }

  func settle(_ newest: Int64) {
    let settled = starts.withLock { starts in
      defer { starts.removeAll() }
      return starts
    }
    for start in settled { start.settle(newest) }
  }
}
