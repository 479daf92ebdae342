import Model
import Support

/// What is due, and what follows for the host.
extension Scheduler {
  private static let waitForOther = Duration.seconds(1)
  private static let waitAfterFailure = Duration.seconds(60)

  /// `advance`, and what follows. The time then.
  package func advanceAndFollowUp(byMilliseconds milliseconds: Int64) async throws(MAMError) -> Timestamp {
    try core.refresh()
    let before = core.state
    let advance = try advance(byMilliseconds: milliseconds)
    try await core.enrollment.finishDueWipes()
    await core.enrollment.followUp(advance.statuses, since: before)
    return advance.time
  }

  /// `runDue`, and what follows. False when another process is at it.
  @discardableResult
  func runDueAndFollowUp() async throws(MAMError) -> Bool {
    try core.refresh()
    let before = core.state
    guard let statuses = try runDue() else { return false }
    let isDone = try await core.enrollment.finishDueWipes()
    await core.enrollment.followUp(statuses, since: before)
    return isDone
  }

  /// How long to wait at least before the next look.
  func runInBackground() async -> Duration {
    do throws(MAMError) {
      return try await runDueAndFollowUp() ? .zero : Self.waitForOther
    } catch {
      if let log = try? core.refresh().log {
        log.write(.error, .enrollment, "what was due could not be done: \(public: error.description)")
      }
      return Self.waitAfterFailure
    }
  }
}
