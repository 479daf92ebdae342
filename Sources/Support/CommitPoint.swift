/// The moment of a call after which its effect stands. Who stops a call and who commits it agree here: one of them wins.
package final class CommitPoint: Sendable {
  package enum State: Sendable { case open, committed, abandoned }

  /// That of the call which this task runs; nil where nobody can stop it.
  package static var current: CommitPoint? { CallContext.current?.commitPoint }

  private let lock = Lock(State.open)

  package init() {}

  package var state: State { lock.withLock { $0 } }

  /// Whether the effect may be made to stand. Once true, always true.
  package func pass() -> Bool {
    lock.withLock { state in
      if state == .open { state = .committed }
      return state == .committed
    }
  }

  /// Whether nothing has happened, and nothing will.
  package func abandon() -> Bool {
    lock.withLock { state in
      if state == .open { state = .abandoned }
      return state == .abandoned
    }
  }
}
