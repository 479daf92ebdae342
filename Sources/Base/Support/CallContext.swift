/// What code below a call may need to know about the call, and the only task-local value. A class, because a closure as a
/// task local crashes in optimized builds of Swift 6.3: the runtime finds no metadata for its type.
package final class CallContext: Sendable {
  /// The context of the call that this task runs; `nil` for work that nobody asked for.
  @TaskLocal package static var current: CallContext?

  let patience: Patience
  /// Reports progress; `nil` if the caller did not ask for it.
  package let report: (@Sendable (ProgressReport) -> Void)?
  /// Receives every step of long work; called often, so it must be quick. `nil` if the caller did not ask for it.
  package let observe: (@Sendable (WorkDone) -> Void)?
  /// The request that the call answers; `nil` if no request made the call.
  package let cause: CallCause?
  /// Who made the call, as the layers above describe it; `nil` if they did not.
  package let caller: (any AnyObject & Sendable)?

  /// `deadline` is when the caller stops waiting for the answer; `nil` if it has not set one.
  package convenience init(
    report: (@Sendable (ProgressReport) -> Void)? = nil, observe: (@Sendable (WorkDone) -> Void)? = nil,
    deadline: ContinuousClock.Instant? = nil, cause: CallCause? = nil, caller: (any AnyObject & Sendable)? = nil
  ) {
    self.init(Patience(deadline), report, observe, cause, caller)
  }

  private init(
    _ patience: Patience, _ report: (@Sendable (ProgressReport) -> Void)?,
    _ observe: (@Sendable (WorkDone) -> Void)?, _ cause: CallCause?, _ caller: (any AnyObject & Sendable)?
  ) {
    self.patience = patience
    self.report = report
    self.observe = observe
    self.cause = cause
    self.caller = caller
  }

  package var commitPoint: CommitPoint { patience.commitPoint }
}

extension CallContext {
  /// The current call, as made by a caller.
  package static func current(by caller: any AnyObject & Sendable) -> CallContext {
    guard let call = current else { return CallContext(caller: caller) }
    return CallContext(call.patience, call.report, call.observe, call.cause, caller)
  }

  /// The context of work that the current call causes, and that its end does not stop: its caller and its cause. `nil` if
  /// there is neither.
  package static var lasting: CallContext? {
    guard let call = current, call.caller != nil || call.cause != nil else { return nil }
    return CallContext(cause: call.cause, caller: call.caller)
  }

  /// The context of work that the current call does not cause, although it begins there: its caller alone. `nil` without
  /// one.
  package static var byItself: CallContext? {
    current?.caller.map { CallContext(caller: $0) }
  }
}

/// How long a call waits for others. Does not know the caller, because a wait may be kept for longer than its call.
final class Patience: Sendable {
  let commitPoint = CommitPoint()
  private let deadline: ContinuousClock.Instant?
  private let waited = Lock(Duration.zero)

  init(_ deadline: ContinuousClock.Instant?) {
    self.deadline = deadline
  }

  /// How long the call may still wait.
  var rest: Duration {
    if let deadline { return ContinuousClock.now.duration(to: deadline) }
    return OutsideWait.limit - waited.withLock { $0 }
  }

  /// Whether nobody needs the answer any longer.
  var isOver: Bool { commitPoint.state == .abandoned }

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
