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
import SQLite
import Support
import Vault

/// One app on one device: its accounts, their policies and configuration, and the keys of their data.
///
/// Nothing is opened before the first call that needs it. Questions are answered from memory. Any number of cores, in
/// any number of processes, may share a state folder; each sees the changes of the others at its next call.
package final class Core: Sendable {
  let configuration: CoreConfiguration
  let live: LiveState
  let restart = PendingRestart()
  let hosts = CurrentHost()
  let alarm = Alarm()
  package let verbose: VerboseLog
  let ongoingEnrollments = OngoingEnrollments()
  let sourceWatching = BackgroundTask()
  let sourceTokens = SourceTokens()
  let keptSignIns = KeptSignIns()
  let remediations = Remediations()
  let trustedAuthorities = TrustedAuthorities()
  let managedUserChecks = ManagedUserChecks()
  package let screenOwners = ScreenOwners()
  let screenTimes = ScreenTimes()
  package let strictMode: StrictMode
  let sharedIdentity = ProcessIdentity()

  package init(_ configuration: CoreConfiguration) {
    self.configuration = configuration
    live = LiveState(configuration)
    (verbose, strictMode) = (live.verbose, live.strictMode)
    live.follow(
      reads: { [weak self] services, isFirst in self?.didRead(services, isFirst: isFirst) },
      errorLines: { [weak self] category in self?.noteSevereEvent(category) })
    configuration.source?.connect(SourceEvents(self))
  }

  /// Arms the alarm after the state was read. After the first time, also begins what goes on in the background.
  private func didRead(_ services: CoreServices, isFirst: Bool) {
    scheduler.arm()
    guard isFirst else { return }
    if let warning = clockWarning { services.log.write(.warning, .server, "\(public: warning)") }
    scheduler.resumeWipes()
    beginToWatch()
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

  /// Answers what only the app or its user can answer. Initially there is no host.
  package var host: any Host {
    get { hosts.current }
    set { hosts.set(newValue) }
  }

  /// The identity that any host has set for this process; `nil` for none. Kept only while the process runs.
  package var processIdentity: AccountReference? {
    get { sharedIdentity.reference }
    set { sharedIdentity.set(newValue) }
  }

  /// Call this before the process ends, when all calls are answered. A check-in that has begun gets a second to end,
  /// verbose lines are written, and the databases are closed.
  package func end() {
    scheduler.end()
    sourceWatching.end()
    for challenge in keptSignIns.end() { signInKeeper.end(challenge) }
    configuration.source?.end()
    trace.settle()
    live.close()
  }

  /// Ends the registrations with a policy source outside of this process, for a state that is about to be removed. What
  /// the source does not accept in time stays. Call before `end`.
  package func leaveSource(within limit: Duration) {
    guard source.capabilities.usesRegistrations, !live.isUnknown else { return }
    scheduler.end()
    let isDone = Semaphore()
    let leaving = Task(executorPreference: BlockingExecutor.shared) {
      try? await self.reports.leaveAll()
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
    restart.forget()
    try refresh()
  }
}

/// What `live` offers, for the rooms that still use the whole core.
extension Core {
  package var changes: Changes { live.changes }
  package var telemetry: Telemetry { live.telemetry }
  var unsettledStarts: UnsettledStarts { live.unsettledStarts }

  package var state: CoreState { live.state }
  package var currentState: CoreState? { live.currentState }
  package var now: Timestamp { live.now }
  package var knownNow: Timestamp? { live.knownNow }
  package var nowUnread: Timestamp { live.nowUnread }
  var time: StateTime { live.time }
  var manualClock: ManualClock? { live.manualClock }
  package var language: Language { live.language }
  package var sdkLevel: SDKLevel { live.sdkLevel }
  package var appId: String { live.appId }

  @discardableResult
  package func refresh() throws(MAMError) -> CoreServices { try live.refresh() }

  package func state(within reach: KeyReach) throws(MAMError) -> MemoryAnswer<CoreState> {
    try live.state(within: reach)
  }

  func commit<Result: Sendable>(
    at time: Timestamp? = nil, _ body: @Sendable (StoreTransaction) throws(SQLiteError) -> Result
  ) throws(MAMError) -> Result {
    try live.commit(at: time, body)
  }

  func publish(_ services: CoreServices) { live.publish(services) }

  func withStore<Result>(_ body: (Store) throws(MAMError) -> Result) throws(MAMError) -> Result {
    try live.withStore(body)
  }

  func changeMark() throws(MAMError) -> Changes.Mark { try live.changeMark() }

  func reopeningWhenDamaged<Result>(_ body: () throws(MAMError) -> Result) throws(MAMError) -> Result {
    try live.reopeningWhenDamaged(body)
  }
}
