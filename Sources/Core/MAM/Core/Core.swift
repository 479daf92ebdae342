// MAM is the Intune App SDK without a wire: it registers and enrolls accounts, checks in, answers questions about
// policy, asks for PINs, wipes, and keeps the diagnostics log. It knows no RPC; what it asks of the app around it is
// the protocol `Host`, and what it tells are events in the store, which any number of readers follow.
//
// `Core` owns one app on one device. `LiveState` holds its state, a `CoreState`, which never changes in place: a commit
// stores a change, and then swaps the whole. Questions read the one that is there, and block on nothing.
//
// Each capability is a room, a folder with a small value that says in its type what it uses: `core.files`, `core.pins`.
// The rooms form layers, which docs/architecture.md draws and a script checks. Core/Rooms.swift lists them.
//
// Life/ is the table of what can happen to an account: for each finding of a check-in, which status follows, and when
// the next attempt is. docs/account-life.md is written from it.

import Model
import Support
import Vault

/// One app on one device: its accounts, their policies and configuration, and the keys of their data.
///
/// Nothing is opened before the first call that needs it. Questions are answered from memory. Any number of cores, in
/// any number of processes, may share a state folder; each sees the changes of the others at its next call.
package final class Core: Rooms {
  let configuration: CoreConfiguration
  let live: LiveState
  package let parts: Parts
  let alarm = Alarm()
  private let sourceWatching = BackgroundTask()
  package let verbose: VerboseLog
  package let strictMode: StrictMode

  package init(_ configuration: CoreConfiguration) {
    self.configuration = configuration
    live = LiveState(configuration)
    parts = Parts(live, CurrentHost(), ProcessMemory())
    (verbose, strictMode) = (live.verbose, live.strictMode)
    live.follow(
      reads: { [weak self] services, isFirst in self?.didRead(services, isFirst: isFirst) },
      errorLines: { [weak self] category in self?.noteSevereEvent(category) })
    configuration.source?.connect(SourceEvents(live))
  }

  /// Arms the alarm after the state was read. After the first time, also begins what goes on in the background.
  private func didRead(_ services: CoreServices, isFirst: Bool) {
    arm()
    guard isFirst else { return }
    if let warning = live.clockWarning { services.log.write(.warning, .server, "\(public: warning)") }
    resumeWipes()
    beginToWatch()
  }

  /// Answers what only the app or its user can answer. Initially there is no host.
  package var host: any Host {
    get { parts.hosts.current }
    set { parts.hosts.set(newValue) }
  }

  /// The identity that any host has set for this process; `nil` for none. Kept only while the process runs.
  package var processIdentity: AccountReference? {
    get { parts.memory.identity.reference }
    set { parts.memory.identity.set(newValue) }
  }

  /// Call this before the process ends, when all calls are answered. A check-in that has begun gets a second to end,
  /// verbose lines are written, and the databases are closed.
  package func end() {
    endBackgroundWork()
    sourceWatching.end()
    for challenge in parts.memory.keptSignIns.end() { signInKeeper.end(challenge) }
    configuration.source?.end()
    trace.settle()
    live.close()
  }

  /// Ends the registrations with a policy source outside of this process, for a state that is about to be removed. What
  /// the source does not accept in time stays. Call before `end`.
  package func leaveSource(within limit: Duration) {
    guard source.capabilities.usesRegistrations, !live.isUnknown else { return }
    endBackgroundWork()
    let isDone = Semaphore()
    let leaving = Task(executorPreference: BlockingExecutor.shared) { [reports] in
      try? await reports.leaveAll()
      isDone.signal()
    }
    isDone.wait(atMost: limit)
    leaving.cancel()
  }

  /// Puts another state in the place of the one in use: `exchange` moves the folders. Everything that was read is
  /// forgotten, and a manual clock is set to `time`. A call that runs meanwhile ends with one of the two states. May
  /// block.
  package func exchangeState(at time: Timestamp, _ exchange: () throws(MAMError) -> Void) throws(MAMError) {
    try live.exchange(at: time, exchange)
    processIdentity = nil
    parts.memory.restart.forget()
    try refresh()
  }
}

/// The work in the background. Only the core begins it and owns its tasks; `end` ends it.
extension Core {
  /// No timer runs longer than this, because the wall clock may be set and the machine may sleep.
  private static let longestWaitMilliseconds: Int64 = 60_000

  /// Sets the alarm for what is due next, which then runs. On a manual clock nothing runs by itself.
  private func arm(after minimum: Duration = .zero) {
    guard live.manualClock == nil, !configuration.isObserving else { return }
    guard let due = live.state.nextDue else { return alarm.cancel() }
    let (now, latest) = (live.now, live.now.advanced(by: Self.longestWaitMilliseconds))
    let delay = Duration.milliseconds(max(0, min(due, latest).milliseconds - now.milliseconds))
    alarm.set(for: due, in: max(minimum, delay)) { [weak self] in
      guard let self else { return }
      let pause = await scheduler.runInBackground()
      alarm.didEnd()
      arm(after: pause)
    }
  }

  /// On a manual clock, resumes the wipes that a killed process left unfinished, concurrently with calls. A wipe must
  /// be finished even if nobody moves the clock. On the system clock, the alarm resumes wipes.
  private func resumeWipes() {
    guard live.manualClock != nil, !configuration.isObserving, live.state.accounts.contains(where: \.isWiping) else {
      return
    }
    Task(executorPreference: BlockingExecutor.shared) { [wipes] in try? await wipes.finishDue() }
  }

  /// Begins to watch the policy source soon, until the core ends or is released.
  private func beginToWatch() {
    guard sourceWatch.isNeeded else { return }
    let patience = configuration.watchPatience
    sourceWatching.start { [weak self] in
      try? await Task.sleep(for: patience)
      while let watch = self?.sourceWatch, !Task.isCancelled {
        let pause = await watch.run()
        try? await Task.sleep(for: pause)
      }
    }
  }

  /// Stops check-ins and wipes in the background. Waits a second for a check-in that has begun. An interrupted check-in
  /// changes nothing.
  func endBackgroundWork() {
    alarm.turnOff(waitingAtMost: .seconds(1))
  }
}

/// What `live` offers.
extension Core {
  package var changes: Changes { live.changes }
  package var telemetry: Telemetry { live.telemetry }
  package var screenOwners: ScreenOwners { parts.memory.screenOwners }
  package var clockWarning: String? { live.clockWarning }

  package var currentState: CoreState? { live.currentState }
  package var now: Timestamp { live.now }
  package var knownNow: Timestamp? { live.knownNow }
  package var nowUnread: Timestamp { live.nowUnread }
  package var sdkLevel: SDKLevel { live.sdkLevel }
  package var appId: String { live.appId }

  @discardableResult
  package func refresh() throws(MAMError) -> CoreServices { try live.refresh() }

  package func state(within reach: KeyReach) throws(MAMError) -> MemoryAnswer<CoreState> {
    try live.state(within: reach)
  }
}
