import Model
import Support

/// Where a reader begins: behind the newest event at the moment when it was made.
///
/// That number may have to be read from the disk. Until it is, changes by this core wait for it, so that none of them is
/// missed; one by another process in this short time may be.
package final class EventStart: Sendable {
  private let number: Lock<Int64?>

  package init(_ seq: Int64? = nil) {
    number = Lock(seq)
  }

  /// Nil as long as it is not known.
  package var seq: Int64? { number.withLock { $0 } }

  /// What is settled stays.
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
