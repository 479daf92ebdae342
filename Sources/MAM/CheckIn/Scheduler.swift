import Model
import Support

/// Lets accounts check in when they are due: one queue over the core's clock, which the store keeps.
///
/// It starts with the first look at a state that has a registered account, and works in the background, beside the
/// answers. Of several processes on a state folder the one that gets the lock checks in; the others see what it stored,
/// and look again soon in case that it dies. On a manual clock nothing runs by itself: `advance` runs it.
package struct Scheduler: Sendable {
  let core: Core

  /// The wall clock may be set, and the machine may sleep: no timer is trusted for longer.
  private static let longestWaitMilliseconds: Int64 = 60_000

  func arm(after minimum: Duration = .zero) {
    guard core.manualClock == nil else { return }
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

  /// Goes on, beside the answers, with what a process that was killed has left of a wipe. Does so on a manual clock too:
  /// that nothing is left is no matter of time.
  func resumeWipes() {
    guard core.manualClock != nil, core.state.accounts.contains(where: \.isWiping) else { return }
    Task(executorPreference: BlockingExecutor.shared) { [core] in try? await core.wipes.finishDue() }
  }

  /// Ends what runs by itself: waits a second for a check-in that has begun. What is cut has not happened.
  package func end() {
    core.alarm.turnOff(waitingAtMost: .seconds(1))
  }

  /// Does what is due now. How it ended for each account; nil when another process is at it.
  @discardableResult
  func runDue() throws(MAMError) -> [EnrollmentStatus]? { try run(through: core.now, isWaiting: false) }

  /// Moves a manual clock, doing on the way what becomes due, each at its time. It may end before `end`: where a wipe
  /// begins, or is to be tried again. How each check-in on the way ended.
  func advance(to end: Timestamp, stoppingForWipes: Bool) throws(MAMError) -> [EnrollmentStatus] {
    guard let clock = core.manualClock else {
      throw MAMError(
        .manualClockNeeded, "the clock is the system's, which nobody may move",
        hint: "Start the server with --clock manual")
    }
    let nextWipe = stoppingForWipes ? core.state.nextWipe : nil
    let stop = min(end, max(core.now, nextWipe ?? end))
    let statuses = try run(through: stop, isWaiting: true, stoppingForWipes: stoppingForWipes) ?? []
    // The store's time is that of the last check-in.
    let hasBegunWipe = stoppingForWipes && core.state.nextWipe.map { $0 <= core.now } ?? false
    let time = hasBegunWipe ? core.now : stop
    // Remembered, so that the next process on a manual clock goes on from here.
    try core.commit(at: time) { _ in }
    clock.advance(byMilliseconds: max(0, time.milliseconds - clock.now.milliseconds))
    return statuses
  }

  private func run(
    through end: Timestamp, isWaiting: Bool, stoppingForWipes: Bool = false
  ) throws(MAMError) -> [EnrollmentStatus]? {
    try core.refresh()
    guard isAnythingDue(end) else { return [] }
    let path = core.configuration.stateFolder.checkInLock
    return try CheckInLock.withLock(path, isWaiting: isWaiting) { () throws(MAMError) -> [EnrollmentStatus] in
      // Whoever held it may have done it all.
      try core.refresh()
      guard isAnythingDue(end) else { return [] }
      return try core.enrollment.checkInDue(through: end, stoppingForWipes: stoppingForWipes)
    }
  }

  private func isAnythingDue(_ end: Timestamp) -> Bool { core.state.nextDue.map { $0 <= end } ?? false }
}

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
      isDone = try await core.wipes.finishDue()
    } while core.now < end || core.state.nextCheckIn.map { $0 <= end } ?? false
    await core.restarts.followUp(statuses, since: before)
    return end
  }

  /// `runDue`, and what follows. False when another process is at it.
  @discardableResult
  func runDueAndFollowUp() async throws(MAMError) -> Bool {
    try core.refresh()
    let before = core.state
    guard let statuses = try runDue() else { return false }
    let isDone = try await core.wipes.finishDue()
    await core.restarts.followUp(statuses, since: before)
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
