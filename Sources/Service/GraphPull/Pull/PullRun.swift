import JSON
import Model
import Support
import Tenancy

/// A pull from Graph into a folder.
package struct PullRun: Sendable {
  package struct Outcome: Sendable {
    package let changes: PullChanges
    package let findings: [String]
    package let users: Int
    package let policies: Int
    /// To whom each policy and configuration applies.
    package let audiences: [PolicyAudience]
  }

  private let pull: TenantPull
  private let folder: String
  /// `nil` if an administrator accepts all removals.
  private let limit: RemovalLimit?

  /// `limit` says how much may be missing before nothing is changed; `nil` accepts all removals.
  package init(_ pull: TenantPull, into folder: String, limit: RemovalLimit? = RemovalLimit()) {
    self.pull = pull
    self.folder = folder
    self.limit = limit
  }

  /// Reads everything, then replaces the folder in one step. A folder whose contents stay the same is left alone. Throws
  /// without a change, unless only the sync of the new folder fails.
  package func run() async throws(PullFailure) -> Outcome {
    // Before minutes of reading, not after them.
    let before = try inFolder { $1 }
    let tenant = try await read(knowing: before)
    guard !Task.isCancelled else { throw PullFailure("Canceled. Nothing was changed.") }
    return try inFolder { replacement, old throws(PullFailure) in
      try check(tenant, isOf: old)
      let new = PulledFolder(tenant, replacing: old)
      // Somebody may have edited the folder meanwhile.
      let read = try check(new, replacing: old?.without(tenant.deletedPolicies))
      return try write(new, read, replacing: old, replacement)
    }
  }

  private func read(knowing before: PulledFolder?) async throws(PullFailure) -> PulledTenant {
    let groups = before?.assignedGroups.filter(\.isGUID) ?? []
    var tenant: PulledTenant
    do throws(GraphFailure) {
      tenant = try await pull.run(
        alsoGroups: groups, knowing: before?.policyIDs ?? [:], confirmsPolicies: limit != nil)
    } catch { throw PullFailure(error) }
    guard let before else { return tenant }
    try check(tenant, isOf: before)
    let absent = before.users(absentFrom: tenant)
    let held = try excess(
      PulledFolder(tenant, replacing: before), replacing: before.without(tenant.deletedPolicies))
    // Users whom Graph itself calls deleted are not missing. One who exists shows that the list is not whole.
    let isWhole: Bool
    do throws(GraphFailure) {
      isWhole = try await pull.confirm(absent: absent, isStrict: held != nil, in: &tenant)
    } catch { throw PullFailure(error) }
    if !isWhole, let held { throw held }
    return tenant
  }

  /// Why the new folder lacks too much of what the old one has; `nil` if it does not.
  private func excess(_ new: PulledFolder, replacing old: PulledFolder) throws(PullFailure) -> PullFailure? {
    do throws(PullFailure) {
      try check(new, replacing: old)
      return nil
    } catch {
      guard error.removals > 0 else { throw error }
      return error
    }
  }

  private func check(_ tenant: PulledTenant, isOf old: PulledFolder?) throws(PullFailure) {
    guard let id = old?.tenantId, !id.isEmpty, id.lowercasedASCII != tenant.tenantId.lowercasedASCII else { return }
    throw PullFailure(
      "\(folder) has the tenant \(id), but Graph has the tenant \(tenant.tenantId). Pull into another folder.")
  }

  /// Throws if the new folder could not be read, or lacks too much of what the old one has. Returns the tenant.
  @discardableResult
  private func check(_ new: PulledFolder, replacing old: PulledFolder?) throws(PullFailure) -> TenantSnapshot {
    let tenant: TenantSnapshot
    do throws(TenantError) { tenant = try new.read() } catch {
      throw PullFailure("What Graph has could not be read as a tenant folder: \(error). Nothing was changed.")
    }
    guard let old, let limit else { return tenant }
    let before: TenantSnapshot
    do throws(TenantError) { before = try old.read() } catch {
      throw PullFailure(
        "\(folder) cannot be read, so nobody can say what the pull would remove: \(error). Repair the folder, or pull "
          + "once with --allow-removals. Nothing was changed.", removals: 1)
    }
    let removals = TenantRemovals(from: before, to: tenant)
    let excess = removals.excess(over: limit)
    let licenses = LostLicenses(from: before, to: tenant)
    let lost = licenses.isExcessive(limit) ? licenses : nil
    guard excess.isEmpty, lost == nil else {
      let parts = [excess.isEmpty ? nil : removals.text(of: excess), lost?.text].compactMap { $0 }
      throw PullFailure(
        "Graph no longer has \(parts.joined(separator: ", and ")), more than \(limit.percent) % or the last. Nothing was changed. "
          + "If that is wrong, look at what the app may read in Graph. If it is meant, pull once with --allow-removals.",
        removals: removals.count(of: excess) + (lost?.count ?? 0))
    }
    return tenant
  }

  private func write(
    _ new: PulledFolder, _ tenant: TenantSnapshot, replacing old: PulledFolder?, _ replacement: FolderReplacement
  ) throws(PullFailure) -> Outcome {
    let changes = PullChanges(from: old, to: new)
    if old == nil || new.files.map(\.text) != old?.files.map(\.text) || !replacement.has(FolderOwnership.pulled) {
      try replacement.replace(with: new.files + [(name: FolderOwnership.pulled, text: "")])
    }
    let ignored = tenant.warnings.filter { $0.member == "assignments" }
    return Outcome(
      changes: changes, findings: new.findings + ignored.map { "\($0.source): assignments: \($0.text)" },
      users: new.users.count, policies: new.policies.values.reduce(0) { $0 + $1.count }, audiences: tenant.audiences)
  }

  private func inFolder<Result>(
    _ body: (FolderReplacement, PulledFolder?) throws(PullFailure) -> Result
  ) throws(PullFailure) -> Result {
    try FolderReplacement.run(
      at: folder, names: PulledFolder.names + [FolderOwnership.pulled], subfolders: PulledFolder.folders
    ) {
      replacement throws(PullFailure) in try body(replacement, try PulledFolder(readingAt: folder))
    }
  }
}
