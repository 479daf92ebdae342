import Model
import SQLite
import Support

/// Runs check-ins when they are due by the core's clock. The store keeps the times.
///
/// The scheduler starts when the core first reads a state that has a registered account. It works in the background,
/// concurrently with calls. If several processes use a state folder, the process that gets the lock checks in; the
/// others see what it stored, and look again soon in case it dies. On a manual clock nothing runs by itself: `advance`
/// runs what is due.
package struct Scheduler: Sendable {
  let core: Core

  /// No timer runs longer than this, because the wall clock may be set and the machine may sleep.
  private static let longestWaitMilliseconds: Int64 = 60_000

  func arm(after minimum: Duration = .zero) {
    guard core.manualClock == nil, !core.configuration.isObserving else { return }
    guard let due = core.state.nextDue else { return core.alarm.cancel() }
    let (now, latest) = (core.now, core.now.advanced(by: Self.longestWaitMilliseconds))
    let delay = Duration.milliseconds(max(0, min(due, latest).milliseconds - now.milliseconds))
    core.alarm.set(for: due, in: max(minimum, delay)) { [weak core] in
      guard let core else { return }
      let pause = await core.scheduler.runInBackground()
      core.alarm.didEnd()
      core.scheduler.arm(after: pause)
    }
  }

  /// On a manual clock, resumes the wipes that a killed process left unfinished, concurrently with calls. A wipe must
  /// be finished even if nobody moves the clock. On the system clock, the alarm resumes wipes.
  func resumeWipes() {
    guard core.manualClock != nil, !core.configuration.isObserving, core.state.accounts.contains(where: \.isWiping)
    else { return }
    Task(executorPreference: BlockingExecutor.shared) { [core] in try? await core.wipes.finishDue() }
  }

  /// Stops the background work. Waits a second for a check-in that has begun. An interrupted check-in changes nothing.
  package func end() {
    core.alarm.turnOff(waitingAtMost: .seconds(1))
  }

  /// Runs the check-ins that are due now. Returns their statuses; `nil` if another process is checking in.
  @discardableResult
  func runDue(with inquiry: PolicyInquiry) throws(MAMError) -> [EnrollmentStatus]? {
    try run(through: core.now, isWaiting: false, with: inquiry)
  }

  /// Moves a manual clock and runs the check-ins that become due on the way, each at its time. Returns their statuses.
  /// With `stoppingForWipes`, may stop before `end`: when a wipe begins or must be tried again.
  func advance(
    to end: Timestamp, stoppingForWipes: Bool, with inquiry: PolicyInquiry
  ) throws(MAMError) -> [EnrollmentStatus] {
    let clock = try manualClock()
    let nextWipe = stoppingForWipes ? core.state.nextWipe : nil
    let stop = min(end, max(core.now, nextWipe ?? end))
    let statuses = try run(through: stop, isWaiting: true, stoppingForWipes: stoppingForWipes, with: inquiry) ?? []
    // The store has the time of the last check-in.
    let hasBegunWipe = stoppingForWipes && core.state.nextWipe.map { $0 <= core.now } ?? false
    let time = hasBegunWipe ? core.now : stop
    // Store the time, so that the next process on a manual clock continues from here.
    try core.commit(at: time) { _ in }
    clock.advance(byMilliseconds: max(0, time.milliseconds - clock.now.milliseconds))
    return statuses
  }

  /// Lets a manual clock jump forward, as if a user had set the clock of the machine: by at least `shortestJump`. Nothing
  /// runs, and what counts the time without jumps counts none.
  package func jump(byMilliseconds milliseconds: Int64) throws(MAMError) {
    let clock = try manualClock()
    try core.commit { transaction throws(SQLiteError) in try transaction.jump(by: milliseconds) }
    clock.advance(byMilliseconds: max(0, core.now.milliseconds - clock.now.milliseconds))
    try core.refresh().log.warn(ofJump: milliseconds)
  }

  /// A smaller difference of the clock is no jump, in milliseconds.
  package static let shortestJump = StateTime.tolerance

  private func manualClock() throws(MAMError) -> ManualClock {
    if let clock = core.manualClock { return clock }
    throw MAMError(
      .manualClockNeeded, "the system clock cannot be moved", hint: "Start the server with --clock manual")
  }

  private func run(
    through end: Timestamp, isWaiting: Bool, stoppingForWipes: Bool = false, with inquiry: PolicyInquiry
  ) throws(MAMError) -> [EnrollmentStatus]? {
    try core.refresh()
    guard isAnythingDue(end) else { return [] }
    let path = core.configuration.stateFolder.checkInLock
    return try CheckInLock.withLock(path, isWaiting: isWaiting) { () throws(MAMError) -> [EnrollmentStatus] in
      // The former holder of the lock may have run everything that was due.
      try core.refresh()
      guard isAnythingDue(end) else { return [] }
      return try core.enrollment.checkInDue(through: end, stoppingForWipes: stoppingForWipes, with: inquiry)
    }
  }

  private func isAnythingDue(_ end: Timestamp) -> Bool { core.state.nextDue.map { $0 <= end } ?? false }
}

/// What is due, with the follow-ups for the host.
extension Scheduler {
  private static let waitForOther = Duration.seconds(1)
  private static let waitAfterFailure = Duration.seconds(60)

  /// Like `advance`, but also runs every wipe at its time, and follows up with the host at the end. Returns the time
  /// afterwards.
  package func advanceAndFollowUp(byMilliseconds milliseconds: Int64) async throws(MAMError) -> Timestamp {
    try core.refresh()
    let end = core.now.advanced(by: max(0, milliseconds))
    let before = core.state
    try await core.wipes.finishDue()
    var tokens = await core.tokens.collect(dueThrough: end)
    var (statuses, isDone): ([EnrollmentStatus], Bool) = ([], true)
    repeat {
      // Do not wait for a wipe that another process runs.
      let stop = core.source.capabilities.answersOnce ? min(end, max(core.now, core.state.nextCheckIn ?? end)) : end
      let inquiry = try await core.source.ask(.due(through: stop), with: tokens)
      tokens.deadline = nil
      await core.managementEnd.announceCheckIns(with: inquiry)
      statuses += try advance(to: stop, stoppingForWipes: isDone, with: inquiry)
      isDone = try await core.wipes.finishDue()
    } while core.now < end || core.state.nextCheckIn.map { $0 <= end } ?? false
    try await core.reports.tellDue()
    await core.restarts.followUp(statuses, since: before)
    core.screens.settle()
    return end
  }

  /// Like `runDue`, but also runs the wipes, and follows up with the host. Returns false if another process is doing
  /// the work.
  @discardableResult
  func runDueAndFollowUp() async throws(MAMError) -> Bool {
    try core.refresh()
    try await core.wipes.finishDue()
    // Asks no host for a check-in that another process is making.
    let lock = core.configuration.stateFolder.checkInLock
    guard try CheckInLock.withLock(lock, isWaiting: false, {}) != nil else { return false }
    let tokens = await core.tokens.collect(dueThrough: core.now)
    let inquiry = try await core.source.ask(.due(through: core.now), with: tokens)
    await core.managementEnd.announceCheckIns(with: inquiry)
    let before = core.state
    guard let statuses = try runDue(with: inquiry) else { return false }
    let isDone = try await core.wipes.finishDue()
    try await core.reports.tellDue()
    await core.restarts.followUp(statuses, since: before)
    return isDone
  }

  /// Returns how long to wait at least before the next run.
  func runInBackground() async -> Duration {
    do throws(MAMError) {
      return try await runDueAndFollowUp() ? .zero : Self.waitForOther
    } catch {
      if let log = try? core.refresh().log {
        log.write(.error, .enrollment, "cannot run the check-ins and wipes that are due: \(public: error.description)")
      }
      return Self.waitAfterFailure
    }
  }
}
