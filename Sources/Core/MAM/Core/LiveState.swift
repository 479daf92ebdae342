import Model
import SQLite
import Support
import Vault

/// The state of one app on one device, and the folder that stores it: reads it, changes it, announces changes to every
/// process, and keeps the time. It is the part that most rooms use of a core, and does not know the core.
package final class LiveState: Sendable {
  /// What is told to a core.
  private struct Followers: Sendable {
    var reads: (@Sendable (CoreServices, _ isFirst: Bool) -> Void)?
    var errorLines: (@Sendable (LogCategory) -> Void)?
  }

  let configuration: CoreConfiguration
  /// Unlike other locks, this one is held while the state folder is opened: no reading thread ever takes it, and nobody
  /// waits for it forever.
  private let opened: Lock<CoreServices?>
  private let snapshot: Lock<Snapshot?>
  private let followers: Lock<Followers>
  let changes: Changes
  let unsettledStarts: UnsettledStarts
  let telemetry: Telemetry
  let verbose: VerboseLog
  let strictMode: StrictMode
  private let deliveries: CompiledDeliveries
  /// The time that the state had when it was last read; `nil` before it is opened, and for a state without changes.
  private let stateTime: Lock<StateTime?>
  /// What takes the place of the state that was read, and where that state is; `nil` for the stored state.
  private let assumed: (state: CoreState, stored: LiveState)?

  private struct Snapshot: Sendable {
    let state: CoreState
    let protection: DataProtection
    let epoch: UInt64
    /// Counters of two pages cannot be compared. A different page means that the state folder was replaced.
    let page: EpochPage

    init(state: CoreState, _ protection: DataProtection, _ epoch: UInt64, _ page: EpochPage) {
      self.state = state
      self.protection = protection
      self.epoch = epoch
      self.page = page
    }
  }

  init(_ configuration: CoreConfiguration) {
    self.configuration = configuration
    (opened, snapshot, followers, stateTime) = (Lock(nil), Lock(nil), Lock(Followers()), Lock(nil))
    (changes, unsettledStarts, telemetry, verbose) = (Changes(), UnsettledStarts(), Telemetry(), VerboseLog())
    strictMode = StrictMode(configuration.settings.strictHandling)
    (deliveries, assumed) = (CompiledDeliveries(), nil)
  }

  private init(assuming state: CoreState, in stored: LiveState) {
    configuration = stored.configuration
    (opened, snapshot, followers, stateTime) = (stored.opened, stored.snapshot, stored.followers, stored.stateTime)
    (changes, unsettledStarts) = (stored.changes, stored.unsettledStarts)
    (telemetry, verbose, strictMode) = (stored.telemetry, stored.verbose, stored.strictMode)
    (deliveries, assumed) = (stored.deliveries, (state, stored))
  }

  /// The same folder, as if it contained another state, for questions.
  func assuming(_ state: CoreState) -> LiveState { LiveState(assuming: state, in: stored) }

  /// The part that lasts as long as its core.
  var stored: LiveState { assumed?.stored ?? self }

  /// From now on, calls `reads` after the state was read, with whether that was the first time, and `errorLines` with the
  /// category of each error line of the log.
  func follow(
    reads: @escaping @Sendable (CoreServices, _ isFirst: Bool) -> Void,
    errorLines: @escaping @Sendable (LogCategory) -> Void
  ) {
    followers.withLock { $0 = Followers(reads: reads, errorLines: errorLines) }
  }

  func noteErrorLine(_ category: LogCategory) { followers.withLock { $0.errorLines }?(category) }

  /// Closes the databases before the process ends.
  func close() {
    opened.withLock { services in
      services?.store.close()
      services?.device.close()
    }
  }

  /// The state for questions, if it includes everything that any process has committed; checking that takes one atomic
  /// load. Otherwise `nil`: call `refresh`.
  var currentState: CoreState? {
    assumed?.state ?? snapshot.withLock { $0.flatMap { $0.epoch == $0.page.value ? $0.state : nil } }
  }

  /// The state for questions. Needs the disk if it does not include everything that any process has committed.
  func state(within reach: KeyReach) throws(MAMError) -> MemoryAnswer<CoreState> {
    guard reach == .disk else { return currentState.map { .now($0) } ?? .needsDisk }
    try refresh()
    return .now(state)
  }

  /// Like `currentState`, with what protects data in it.
  var currentProtection: (protection: DataProtection, state: CoreState)? {
    snapshot.withLock { $0.flatMap { $0.epoch == $0.page.value ? ($0.protection, assumed?.state ?? $0.state) : nil } }
  }

  /// The state that the last `refresh` read; empty before the first.
  var state: CoreState { assumed?.state ?? snapshot.withLock { $0?.state } ?? CoreState(configuration: configuration) }

  /// Opens the state folder if it is not open, and reads what has changed in it. May block.
  @discardableResult
  func refresh() throws(MAMError) -> CoreServices {
    if let services = opened.withLockInTime({ $0 }) ?? nil, isCurrent(services.epochPage) { return services }
    let services = try services()
    let (epoch, page) = (services.epochPage.value, services.epochPage)
    guard !isCurrent(page) else { return services }
    if configuration.isObserving { services.dropCopies() }
    let former = snapshot.withLock { $0?.state }
    let state = try reopeningWhenDamaged { () throws(MAMError) in
      CoreState(
        try services.store.load(), try services.device.load(), among: deliveries, configuration: configuration,
        after: former)
    }
    deliveries.forgetOthers(than: state.accounts.lazy.map(\.delivery))
    let isFirst = isUnknown
    learn(state.time)
    for warning in replace(with: Snapshot(state: state, services.dataProtection, epoch, page), telling: services.log) {
      services.log.write(.warning, .policy, "\(public: warning)")
    }
    let didRead = followers.withLock { $0.reads }
    didRead?(services, isFirst)
    return services
  }

  /// Whether the state was never read.
  var isUnknown: Bool { snapshot.withLock { $0 == nil } }

  /// Changes the store, and announces the change to every process, including this one.
  func commit<Result: Sendable>(
    at time: Timestamp? = nil, _ body: @Sendable (StoreTransaction) throws(SQLiteError) -> Result
  ) throws(MAMError) -> Result {
    let services = try services()
    let appended = AppendedEvents()
    let testing = PolicyTesting(configured: configuration.debugSettings, platform: state.device.platform)
    let jump = Lock<Int64>(0)
    let clock = (now: time ?? clockNow, uptime: configuration.clock.uptime)
    let result = try reopeningWhenDamaged { () throws(MAMError) in
      try services.store.change(at: clock.now, clock.uptime) { transaction throws(SQLiteError) in
        jump.withLock { $0 = transaction.jump }
        if !unsettledStarts.isEmpty { unsettledStarts.settle(try transaction.connection.newestEvent) }
        var transaction = transaction
        transaction.appended = appended
        transaction.testing = testing
        transaction.deliveries = deliveries
        return try body(transaction)
      }
    }
    for (account, reason) in appended.begunWipes {
      services.log.write(.info, .enrollment, "wipe \(personal: account): begun; \(public: reason.text)")
    }
    if configuration.clock.manual != nil, let time = try services.store.time() { try services.device.share(time.now) }
    publish(services)
    services.log.warn(ofJump: jump.withLock { $0 })
    telemetry.send(appended.all.compactMap(TelemetryReport.init), state)
    return result
  }

  /// Announces a change to every process, including this one.
  func publish(_ services: CoreServices) {
    services.epochPage.raise()
    changes.resumePassed(on: services.epochPage)
    // The change is made. If it cannot be read now, the next call reads it or reports why not.
    _ = try? refresh()
  }

  /// Uses the store, and opens it first if necessary.
  func withStore<Result>(_ body: (Store) throws(MAMError) -> Result) throws(MAMError) -> Result {
    let services = try services()
    return try reopeningWhenDamaged { () throws(MAMError) in try body(services.store) }
  }

  /// A mark from which later changes can be told. Take the mark before reading.
  func changeMark() throws(MAMError) -> Changes.Mark { Changes.Mark(try services().epochPage) }

  /// The time of the state by the configured clock, never before the latest time that the state has seen. Opens the state
  /// folder if it is not open, so it may block.
  var now: Timestamp {
    if isUnknown { _ = try? refresh() }
    return time.now
  }

  var time: StateTime {
    let clock = configuration.clock
    var time = stateTime.withLock { $0 } ?? StateTime(clock.now)
    time.advance(to: clock.now, clock.uptime)
    return time
  }

  /// What the configured clock says; on a manual clock at least what the state has seen, because all of its processes and
  /// apps share the time.
  private var clockNow: Timestamp { configuration.clock.manual == nil ? configuration.clock.now : now }

  /// Keeps the later of two times; `nil` forgets them.
  func learn(_ new: StateTime?) {
    stateTime.withLock { time in
      if let new, let known = time, known.now > new.now { return }
      time = new
    }
  }

  /// The clock that only `Scheduler.advance` moves; `nil` if time passes by itself.
  var manualClock: ManualClock? { configuration.clock.manual }

  /// The language of texts for the user: that of the call, otherwise that of the process.
  var language: Language { CallOrigin.current?.language ?? configuration.language }

  /// The SDK level of the host that made the call, otherwise that of the setting.
  var sdkLevel: SDKLevel { CallOrigin.current?.sdkLevel ?? state.sdkLevel }

  var appId: String { configuration.stateFolder.appId }

  /// Like `now`, but `nil` if the state must be read first: before the state folder is open, and after another process has
  /// changed the state, which may include the time. Never blocks.
  var knownNow: Timestamp? { currentState.map { _ in now } }

  /// Like `now`, but what the clock says as long as the state was never read, which this does not change.
  var nowUnread: Timestamp { isUnknown ? configuration.clock.now : now }

  /// Keeps the later of two snapshots, and configures the log by its settings. Returns the warnings that are new.
  private func replace(with new: Snapshot, telling log: DiagnosticsLog) -> [String] {
    snapshot.withLock { old in
      if let old, old.page === new.page, old.epoch > new.epoch { return [] }
      let known = Set(old?.state.warnings ?? [])
      old = new
      log.configure(new.state.settings)
      verbose.isOn = new.state.settings.bool(.verboseLoggingEnabled)
      strictMode.configure(new.state.settings.strictHandling)
      return new.state.warnings.filter { !known.contains($0) }
    }
  }

  /// Closes a damaged database, so that the next call finds a database that has replaced it.
  func reopeningWhenDamaged<Result>(_ body: () throws(MAMError) -> Result) throws(MAMError) -> Result {
    do throws(MAMError) {
      return try body()
    } catch {
      if error.code == .damaged { opened.withLock { $0 = nil } }
      throw error
    }
  }

  /// Puts another state in the place of the one in use, as `Core.exchangeState` says.
  func exchange(at time: Timestamp, _ exchange: () throws(MAMError) -> Void) throws(MAMError) {
    let former = try opened.withLockInTime { services throws(MAMError) -> CoreServices? in
      try exchange()
      snapshot.withLock { $0 = nil }
      learn(nil)
      configuration.clock.manual?.set(to: time)
      return services.take()
    }
    guard let former else { throw .storeBusy(configuration.stateFolder.database) }
    // Whoever waits for changes of the former state looks at the new one.
    former?.epochPage.raise()
  }

  /// Discards what was read from a state folder that is no longer in its place. While no folder is in its place, the
  /// state stays open, because the folder may come back.
  private func letGo(_ services: inout CoreServices?) throws(MAMError) {
    snapshot.withLock { $0 = nil }
    learn(nil)
    guard configuration.stateFolder.exists else { throw .stateGone(configuration.stateFolder.root) }
    services = nil
  }

  /// Whether the snapshot includes every change that this page counts.
  private func isCurrent(_ page: EpochPage) -> Bool {
    snapshot.withLock { $0.map { $0.page === page && $0.epoch == page.value } ?? false }
  }

  /// Returns the open state folder, or opens the one that is in its place now. Looks at the disk, which the caller is
  /// about to use anyway.
  private func services() throws(MAMError) -> CoreServices {
    let found = try opened.withLockInTime { services throws(MAMError) -> (CoreServices, Bool) in
      if let services, services.isInPlace(configuration.stateFolder) { return (services, false) }
      if services != nil { try letGo(&services) }
      let new = try CoreServices(stored)
      services = new
      return (new, true)
    }
    guard let (services, isNew) = found else { throw .storeBusy(configuration.stateFolder.database) }
    if isNew { changes.resumePassed(on: services.epochPage) }
    return services
  }
}
