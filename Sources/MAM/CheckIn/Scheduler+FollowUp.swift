import Model
import Support

/// What is due, and what follows for the host.
extension Scheduler {
  private static let waitForOther = Duration.seconds(1)
  private static let waitAfterFailure = Duration.seconds(60)

  /// `advance`, and what follows: a wipe at its time, the rest at the end. The time then.
  package func advanceAndFollowUp(byMilliseconds milliseconds: Int64) async throws(MAMError) -> Timestamp {
    try core.refresh()
    let before = core.state
    let end = core.now.advanced(by: max(0, milliseconds))
    var (statuses, isDone): ([EnrollmentStatus], Bool) = ([], true)
    repeat {
      // What another process wipes is waited for by nobody here.
      statuses += try advance(to: end, stoppingForWipes: isDone)
      isDone = try await core.enrollment.finishDueWipes()
    } while core.now < end || core.state.nextCheckIn.map { $0 <= end } ?? false
    await core.enrollment.followUp(statuses, since: before)
    return end
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
