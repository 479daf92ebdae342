import Database
import Support
import Tenancy

/// The work of the service besides requests.
extension TenantService {
  private static let folderInterval = Duration.seconds(1)
  private static let holdInterval = Duration.milliseconds(500)
  private static let storeInterval = Duration.seconds(30)
  private static let maintenanceInterval = Duration.seconds(3600)
  private static let keyInterval = Duration.seconds(60)
  private static let keyIntervalAfterFailure = Duration.seconds(2)

  /// Follows the folder, or without one what others publish to the store, until the task is cancelled. Then all polls
  /// are answered.
  package func keepUp(folder: String?) async {
    await withTaskGroup(of: Void.self) { group in
      // Reads files, and parses a whole tenant.
      group.addTask(executorPreference: BlockingExecutor.shared) { [self] in await follow(folder) }
      group.addTask { [self] in await maintainAgain() }
      group.addTask { [self] in await keepKeys() }
      group.addTask { [self] in await followHold() }
    }
    endPolls()
  }

  /// Lets all polls answer at once, and takes no others.
  package func endPolls() { parts.hub.endAll() }

  /// Lets all polls look again, after others have changed the store.
  package func wakePolls() { parts.hub.notifyAll() }

  /// Reads what the store has, then the folder. Returns whether there is a tenant to serve.
  @discardableResult
  package func load(folder: TenantFolderWatch?) async -> Bool {
    if parts.served.edition == nil { await updateEdition() }
    if let folder {
      for line in await parts.served.follow(folder, at: parts.clock.now) { parts.log(line) }
    }
    return parts.served.edition != nil
  }

  /// Takes over what was published to the store.
  func updateEdition() async {
    do throws(PublicationFailure) {
      try await parts.served.update()
    } catch {
      parts.log("cannot read the tenant from the store: \(error.description)")
      return
    }
    if let line = parts.served.announcement() { parts.log(line) }
  }

  private func follow(_ path: String?) async {
    let folder = path.map(TenantFolderWatch.init(path:))
    while !Task.isCancelled {
      if let folder { await load(folder: folder) }
      await noticeAcceptance(of: folder)
      try? await Task.sleep(for: path == nil ? Self.storeInterval : Self.folderInterval)
    }
  }

  /// Another process accepts what is held back, and folders that are not served.
  private func noticeAcceptance(of folder: TenantFolderWatch?) async {
    let before = (parts.served.edition?.generation, parts.served.problem)
    guard folder == nil || before.1 != nil || parts.served.edition?.held.isEmpty == false else { return }
    await updateEdition()
    if before.1 != nil, parts.served.edition?.generation != before.0 { folder?.readAgain() }
  }

  /// Another process puts wipes on hold. PostgreSQL sends a notice of that.
  private func followHold() async {
    let isTold = parts.tenants.database.engine == .postgreSQL
    var wasChanged = false
    while !Task.isCancelled {
      let isChanged = await updateHold()
      // The revisions of registrations change right after the hold.
      if wasChanged { parts.hub.notifyAll() }
      wasChanged = isChanged
      try? await Task.sleep(for: isTold ? Self.storeInterval : Self.holdInterval)
    }
  }

  /// Hosts are told how soon to check in, which depends on the hold.
  func wakePollsAfterHold() async {
    await updateHold()
    parts.hub.notifyAll()
  }

  /// Logs a change of the hold, and wakes the hosts that wait. Check-ins read it themselves. Returns whether it changed.
  @discardableResult
  package func updateHold() async -> Bool {
    // Whoever needs a store that fails reports it.
    guard let hold = try? await parts.tenants.wipeHold() as StoredHold??, let line = parts.holds.note(hold) else {
      return false
    }
    parts.log(line)
    parts.hub.notifyAll()
    return true
  }

  /// Reads the keys of the identity provider before the first token and again and again, so that a provider that cannot be
  /// reached is known before somebody needs it.
  private func keepKeys() async {
    while !Task.isCancelled {
      let isFresh = await tokens.prepare(at: parts.clock.now)
      try? await Task.sleep(for: isFresh ? Self.keyInterval : Self.keyIntervalAfterFailure)
    }
  }

  private func maintainAgain() async {
    while !Task.isCancelled {
      await maintain()
      try? await Task.sleep(for: Self.maintenanceInterval)
    }
  }

  /// Ends registrations that were not seen for long, and deletes what is old. After a jump of the clock, nothing ends or
  /// is deleted until the clock can be believed.
  package func maintain() async {
    do throws(DatabaseError) {
      var wasHeld = parts.maintenance.state?.isHeld ?? false
      var report = try await maintain(isConfirmed: false)
      wasHeld = wasHeld || report.guarding.isHeld
      log(report)
      if report.guarding.isHeld, await isTimeConfirmed(try await time()) {
        report = try await maintain(isConfirmed: true)
        log(report)
      }
      if wasHeld, !report.guarding.isHeld { parts.log("maintenance goes on") }
    } catch {
      parts.log("cannot clean up: \(error.text)")
    }
  }

  private func maintain(isConfirmed: Bool) async throws(DatabaseError) -> TenantStore.MaintenanceReport {
    parts.storeTime.forget()
    var run = parts.maintenance.run(at: try await time(), parts.clock.uptime)
    run.isConfirmed = isConfirmed
    let report = try await parts.tenants.maintain(parts.options.retention, run)
    parts.maintenance.note(report.guarding, at: run.time, parts.clock.uptime)
    return report
  }

  private func time() async throws(DatabaseError) -> Timestamp { try await parts.tenants.time(by: parts.storeTime) }

  private func isTimeConfirmed(_ now: Timestamp) async -> Bool {
    guard let other = await otherTime() else { return false }
    let difference = other.milliseconds(since: now)
    if difference.magnitude <= MaintenanceGuard.tolerance.magnitude { return true }
    parts.log("the store's clock says \(now), but the identity provider's says \(other); set the clock that is wrong")
    return false
  }

  private func log(_ report: TenantStore.MaintenanceReport) {
    if report.hasJumped {
      parts.log(
        """
        the clock has jumped to \(report.guarding.alarm?.description ?? "an unknown time"), or the service was off for \
        more than a day. Nothing ends or is deleted until the service has run for 24 hours, or until the identity \
        provider's clock agrees
        """)
    }
    guard report.ended > 0 else { return }
    parts.metrics.count(.endedRegistrations(report.ended))
    parts.log("ended \(report.ended) registrations that were not seen for \(parts.options.retention.unseenDays) days")
  }
}

/// What one process knows about its runs of maintenance.
final class MaintenanceWatch: Sendable {
  private struct State {
    var guarding: MaintenanceGuard?
    var last: (time: Timestamp, uptime: Uptime?)?
  }

  private let shared = Lock(State())

  /// `nil` before the first run.
  var state: MaintenanceGuard? { shared.withLock { $0.guarding } }

  /// A run now. On a clock without uptime, all time that passes is uptime.
  func run(at time: Timestamp, _ uptime: Uptime?) -> MaintenanceGuard.Run {
    guard let last = shared.withLock({ $0.last }) else { return MaintenanceGuard.Run(at: time) }
    let shown = time.milliseconds(since: last.time)
    guard let uptime, let before = last.uptime else { return MaintenanceGuard.Run(at: time, uptime: shown) }
    let passed = uptime.since(before) ?? 0
    let difference = (shown - passed).magnitude
    return MaintenanceGuard.Run(
      at: time, uptime: passed, sawJump: difference > MaintenanceGuard.tolerance.magnitude)
  }

  func note(_ guarding: MaintenanceGuard, at time: Timestamp, _ uptime: Uptime?) {
    shared.withLock { $0 = State(guarding: guarding, last: (time, uptime)) }
  }
}
