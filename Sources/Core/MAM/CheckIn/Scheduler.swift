import Model
import SQLite
import Support

/// Runs check-ins when they are due by the clock of the state. The store keeps the times.
///
/// On the system clock, the core calls `runInBackground` when something is due, from when it first reads a state that has
/// a registered account. If several processes use a state folder, the process that gets the lock checks in; the others see
/// what it stored, and look again soon in case it dies. On a manual clock nothing runs by itself: `advance` runs what is
/// due.
package struct Scheduler: Sendable {
  let live: LiveState
  let checkIns: CheckIns
  let questions: SourceQuestions
  let wipes: Wipes
  let reports: Reports
  let restarts: Restarts
  let screens: Screens

  /// Runs the check-ins that are due now. Returns their statuses; `nil` if another process is checking in.
  @discardableResult
  func runDue(with inquiry: PolicyInquiry) throws(MAMError) -> [EnrollmentStatus]? {
    try run(through: live.now, isWaiting: false, with: inquiry)
  }

  /// Moves a manual clock and runs the check-ins that become due on the way, each at its time. Returns their statuses.
  /// With `stoppingForWipes`, may stop before `end`: when a wipe begins or must be tried again.
  func advance(
    to end: Timestamp, stoppingForWipes: Bool, with inquiry: PolicyInquiry
  ) throws(MAMError) -> [EnrollmentStatus] {
    let clock = try manualClock()
    let nextWipe = stoppingForWipes ? live.state.nextWipe : nil
    let stop = min(end, max(live.now, nextWipe ?? end))
    let statuses = try run(through: stop, isWaiting: true, stoppingForWipes: stoppingForWipes, with: inquiry) ?? []
    // The store has the time of the last check-in.
    let hasBegunWipe = stoppingForWipes && live.state.nextWipe.map { $0 <= live.now } ?? false
    let time = hasBegunWipe ? live.now : stop
    // Store the time, so that the next process on a manual clock continues from here.
    try live.commit(at: time) { _ in }
    clock.advance(byMilliseconds: max(0, time.milliseconds - clock.now.milliseconds))
    return statuses
  }

  /// Lets a manual clock jump forward, as if a user had set the clock of the machine: by at least `shortestJump`. Nothing
  /// runs, and what counts the time without jumps counts none.
  package func jump(byMilliseconds milliseconds: Int64) throws(MAMError) {
    let clock = try manualClock()
    try live.commit { transaction throws(SQLiteError) in try transaction.jump(by: milliseconds) }
    clock.advance(byMilliseconds: max(0, live.now.milliseconds - clock.now.milliseconds))
    try live.refresh().log.warn(ofJump: milliseconds)
  }

  /// A smaller difference of the clock is no jump, in milliseconds.
  package static let shortestJump = StateTime.tolerance

  private func manualClock() throws(MAMError) -> ManualClock {
    if let clock = live.manualClock { return clock }
    throw MAMError(
      .manualClockNeeded, "the system clock cannot be moved", hint: "Start the server with --clock manual")
  }

  private func run(
    through end: Timestamp, isWaiting: Bool, stoppingForWipes: Bool = false, with inquiry: PolicyInquiry
  ) throws(MAMError) -> [EnrollmentStatus]? {
    try live.refresh()
    guard isAnythingDue(end) else { return [] }
    let path = live.configuration.stateFolder.checkInLock
    return try CheckInLock.withLock(path, isWaiting: isWaiting) { () throws(MAMError) -> [EnrollmentStatus] in
      // The former holder of the lock may have run everything that was due.
      try live.refresh()
      guard isAnythingDue(end) else { return [] }
      return try checkIns.checkInDue(through: end, stoppingForWipes: stoppingForWipes, with: inquiry)
    }
  }

  private func isAnythingDue(_ end: Timestamp) -> Bool { live.state.nextDue.map { $0 <= end } ?? false }
}

/// What is due, with the follow-ups for the host.
extension Scheduler {
  private static let waitForOther = Duration.seconds(1)
  private static let waitAfterFailure = Duration.seconds(60)

  /// Like `advance`, but also runs every wipe at its time, and follows up with the host at the end. Returns the time
  /// afterwards.
  package func advanceAndFollowUp(byMilliseconds milliseconds: Int64) async throws(MAMError) -> Timestamp {
    try live.refresh()
    let end = live.now.advanced(by: max(0, milliseconds))
    let before = live.state
    try await wipes.finishDue()
    var tokens = await questions.tokens.collect(dueThrough: end)
    var (statuses, isDone): ([EnrollmentStatus], Bool) = ([], true)
    repeat {
      // Do not wait for a wipe that another process runs.
      let next = max(live.now, live.state.nextCheckIn ?? end)
      let stop = questions.source.capabilities.answersOnce ? min(end, next) : end
      let inquiry = try await questions.ask(.due(through: stop), with: tokens, announcing: true)
      tokens.deadline = nil
      statuses += try advance(to: stop, stoppingForWipes: isDone, with: inquiry)
      isDone = try await wipes.finishDue()
    } while live.now < end || live.state.nextCheckIn.map { $0 <= end } ?? false
    try await reports.sendDue()
    await restarts.followUp(statuses, since: before)
    screens.settle()
    return end
  }

  /// Like `runDue`, but also runs the wipes, and follows up with the host. Returns false if another process is doing
  /// the work.
  @discardableResult
  func runDueAndFollowUp() async throws(MAMError) -> Bool {
    try live.refresh()
    try await wipes.finishDue()
    // Asks no host for a check-in that another process is making.
    let lock = live.configuration.stateFolder.checkInLock
    guard try CheckInLock.withLock(lock, isWaiting: false, {}) != nil else { return false }
    let tokens = await questions.tokens.collect(dueThrough: live.now)
    let inquiry = try await questions.ask(.due(through: live.now), with: tokens, announcing: true)
    let before = live.state
    guard let statuses = try runDue(with: inquiry) else { return false }
    let isDone = try await wipes.finishDue()
    try await reports.sendDue()
    await restarts.followUp(statuses, since: before)
    return isDone
  }

  /// Returns how long to wait at least before the next run.
  func runInBackground() async -> Duration {
    do throws(MAMError) {
      return try await runDueAndFollowUp() ? .zero : Self.waitForOther
    } catch {
      if let log = try? live.refresh().log {
        log.write(.error, .enrollment, "cannot run the check-ins and wipes that are due: \(public: error.description)")
      }
      return Self.waitAfterFailure
    }
  }
}
