import Database
import Support
import Tenancy

/// The work of the service besides requests.
extension TenantService {
  private static let folderInterval = Duration.seconds(1)
  private static let storeInterval = Duration.seconds(30)
  private static let maintenanceInterval = Duration.seconds(3600)

  /// Follows the folder, or without one what others publish to the store, until the task is cancelled. Then all polls
  /// are answered.
  package func keepUp(folder: String?) async {
    await withTaskGroup(of: Void.self) { group in
      // Reads files, and parses a whole tenant.
      group.addTask(executorPreference: BlockingExecutor.shared) { [self] in await follow(folder) }
      group.addTask { [self] in await maintainAgain() }
    }
    endPolls()
  }

  /// Lets all polls answer at once, and takes no others.
  package func endPolls() { parts.hub.endAll() }

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
    let before = parts.served.edition
    do throws(PublicationFailure) {
      try await parts.served.update()
    } catch {
      parts.log("cannot read the tenant from the store: \(error.description)")
      return
    }
    guard let now = parts.served.edition else { return }
    if (now.generation, now.published) != (before?.generation, before?.published) { parts.log(now.announcement) }
  }

  private func follow(_ path: String?) async {
    let folder = path.map(TenantFolderWatch.init(path:))
    while !Task.isCancelled {
      if let folder { await load(folder: folder) }
      // Another process accepts what is held back.
      if folder == nil || parts.served.edition?.held.isEmpty == false { await updateEdition() }
      try? await Task.sleep(for: path == nil ? Self.storeInterval : Self.folderInterval)
    }
  }

  private func maintainAgain() async {
    while !Task.isCancelled {
      await maintain()
      try? await Task.sleep(for: Self.maintenanceInterval)
    }
  }

  /// Ends registrations that were not seen for long, and deletes what is old.
  package func maintain() async {
    do throws(DatabaseError) {
      let ended = try await parts.tenants.maintain(parts.options.retention, at: parts.clock.now)
      guard ended > 0 else { return }
      parts.metrics.count(.endedRegistrations(ended))
      parts.log("ended \(ended) registrations that were not seen for \(parts.options.retention.unseenDays) days")
    } catch {
      parts.log("cannot clean up: \(error.text)")
    }
  }
}
