/// The moment of a call after which its effect stands. Who stops a call and who commits it agree here: one of them wins.
package final class CommitPoint: Sendable {
  package enum State: Sendable { case open, committed, abandoned }

  /// That of the call which this task runs; nil where nobody can stop it.
  package static var current: CommitPoint? { CallContext.current?.commitPoint }

  private struct Standing: Sendable {
    var state = State.open
    var isStopWanted = false
  }
  private let lock = Lock(Standing())

  package init() {}

  package var state: State { lock.withLock { $0.state } }

  /// Whether somebody has tried to stop the call, be it too late. Work of many parts, each of which stands alone, may
  /// then leave out those that it has not begun, and tell so.
  package var isStopWanted: Bool { lock.withLock { $0.isStopWanted } }

  /// Whether the effect may be made to stand. Once true, always true.
  package func pass() -> Bool {
    lock.withLock { standing in
      if standing.state == .open { standing.state = .committed }
      return standing.state == .committed
    }
  }

  /// Whether nothing has happened, and nothing will.
  package func abandon() -> Bool {
    lock.withLock { standing in
      standing.isStopWanted = true
      if standing.state == .open { standing.state = .abandoned }
      return standing.state == .abandoned
    }
  }
}
