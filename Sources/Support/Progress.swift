/// How far long work has come.
package struct ProgressReport: Sendable {
  package enum Kind: String, Sendable { case begin, report, end }

  package var kind: Kind
  /// 0 to 100; nil where the end is not known.
  package var percentage: Int?
  package var message: String?

  package init(_ kind: Kind, percentage: Int? = nil, message: String? = nil) {
    self.kind = kind
    self.percentage = percentage
    self.message = message
  }
}

/// Where work tells how far it has come.
package enum Progress {
  /// Nil when nobody asked.
  package static var report: (@Sendable (ProgressReport) -> Void)? { CallContext.current?.report }
}

/// What code below a call may need to know of it. An object, for a closure as a task local of its own crashes in
/// optimized builds of Swift 6.3: the runtime finds no metadata for its type.
package final class CallContext: Sendable {
  /// That of the call which this task runs; nil where nobody waits for an answer.
  @TaskLocal package static var current: CallContext?

  package let commitPoint = CommitPoint()
  /// Where it tells how far it has come; nil when nobody asked.
  package let report: (@Sendable (ProgressReport) -> Void)?
  /// When the caller stops waiting for the answer; nil when that is up to us.
  private let deadline: ContinuousClock.Instant?
  private let waited = Lock(Duration.zero)

  package init(report: (@Sendable (ProgressReport) -> Void)? = nil, deadline: ContinuousClock.Instant? = nil) {
    self.report = report
    self.deadline = deadline
  }

  /// How long the call may still wait for others.
  var restOfWait: Duration {
    if let deadline { return ContinuousClock.now.duration(to: deadline) }
    return OutsideWait.limit - waited.withLock { $0 }
  }

  func didWait(_ time: Duration) {
    waited.withLock { $0 += time }
  }
}

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
