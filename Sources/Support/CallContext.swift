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
