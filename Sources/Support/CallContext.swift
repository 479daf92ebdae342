/// What code below a call may need to know of it. An object, for a closure as a task local of its own crashes in
/// optimized builds of Swift 6.3: the runtime finds no metadata for its type.
package final class CallContext: Sendable {
  /// That of the call which this task runs; nil where nobody waits for an answer.
  @TaskLocal package static var current: CallContext?

  package let commitPoint = CommitPoint()
  /// Where it tells how far it has come; nil when nobody asked.
  package let report: (@Sendable (ProgressReport) -> Void)?

  package init(report: (@Sendable (ProgressReport) -> Void)? = nil) {
    self.report = report
  }
}
