/// The progress of long work.
package struct ProgressReport: Sendable {
  package enum Kind: String, CaseIterable, Sendable { case begin, report, end }

  package var kind: Kind
  /// 0 to 100; `nil` if the total is unknown.
  package var percentage: Int?
  package var message: String?

  package init(_ kind: Kind, percentage: Int? = nil, message: String? = nil) {
    self.kind = kind
    self.percentage = percentage
    self.message = message
  }
}

/// How many bytes of long work are done.
package struct WorkDone: Sendable, Equatable {
  package var bytes: Int
  /// `nil` if the total is unknown.
  package var total: Int?

  package init(bytes: Int, total: Int?) {
    self.bytes = bytes
    self.total = total
  }
}

/// The place to report progress to.
package enum Progress {
  /// `nil` if the caller did not ask for progress.
  package static var report: (@Sendable (ProgressReport) -> Void)? { CallContext.current?.report }
  /// Receives every step, unlike `report`, which gets each percent once. `nil` if the caller did not ask for it.
  package static var observe: (@Sendable (WorkDone) -> Void)? { CallContext.current?.observe }
}

/// What code below a call may need to know about the call. A class, because a closure as a task local crashes in
/// optimized builds of Swift 6.3: the runtime finds no metadata for its type.
package final class CallContext: Sendable {
  /// The context of the call that this task runs; `nil` if nobody waits for an answer.
  @TaskLocal package static var current: CallContext?

  package let commitPoint = CommitPoint()
  /// Reports progress; `nil` if the caller did not ask for it.
  package let report: (@Sendable (ProgressReport) -> Void)?
  /// Receives every step of long work; called often, so it must be quick. `nil` if the caller did not ask for it.
  package let observe: (@Sendable (WorkDone) -> Void)?
  /// When the caller stops waiting for the answer; `nil` if it has not set a deadline.
  private let deadline: ContinuousClock.Instant?
  /// The request that the call answers; `nil` if no request made the call.
  package let cause: CallCause?
  private let waited = Lock(Duration.zero)

  package init(
    report: (@Sendable (ProgressReport) -> Void)? = nil, observe: (@Sendable (WorkDone) -> Void)? = nil,
    deadline: ContinuousClock.Instant? = nil, cause: CallCause? = nil
  ) {
    self.report = report
    self.observe = observe
    self.deadline = deadline
    self.cause = cause
  }

  /// The context of work that the current call causes, and that its end does not stop; `nil` outside a call.
  package static var ofLastingWork: CallContext? {
    current?.cause.map { CallContext(cause: $0) }
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

/// The request that a call answers.
package struct CallCause: Hashable, Sendable {
  package let method: String
  /// The id of the request as JSON text; empty for a notification.
  package let id: [UInt8]

  package init(method: String, id: [UInt8]) {
    self.method = method
    self.id = id
  }
}

/// The moment after which a call takes effect. Cancelling and committing meet here, and only one of them wins.
package final class CommitPoint: Sendable {
  package enum State: Sendable { case open, committed, abandoned }

  /// The commit point of the call that this task runs; `nil` if nobody can stop it.
  package static var current: CommitPoint? { CallContext.current?.commitPoint }

  private struct Standing: Sendable {
    var state = State.open
    var isStopWanted = false
  }
  private let lock = Lock(Standing())

  package init() {}

  package var state: State { lock.withLock { $0.state } }

  /// Whether somebody has tried to stop the call, even too late. Work in independent parts may then skip the remaining
  /// parts and report that.
  package var isStopWanted: Bool { lock.withLock { $0.isStopWanted } }

  /// Returns whether the call may take effect. Once true, always true.
  package func pass() -> Bool {
    lock.withLock { standing in
      if standing.state == .open { standing.state = .committed }
      return standing.state == .committed
    }
  }

  /// Returns whether nothing has happened and nothing will.
  package func abandon() -> Bool {
    lock.withLock { standing in
      standing.isStopWanted = true
      if standing.state == .open { standing.state = .abandoned }
      return standing.state == .abandoned
    }
  }
}
