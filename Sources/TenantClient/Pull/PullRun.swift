import JSON
import Model
import Support

/// A pull from Graph into a folder.
package struct PullRun: Sendable {
  package struct Outcome: Sendable {
    package let changes: PullChanges
    package let findings: [String]
    package let users: Int
    package let policies: Int
  }

  private let pull: TenantPull
  private let folder: String

  package init(_ pull: TenantPull, into folder: String) {
    self.pull = pull
    self.folder = folder
  }

  /// Reads everything, then replaces the folder in one step. A folder whose contents stay the same is left alone. Throws
  /// without a change, unless only the sync of the new folder fails.
  package func run() async throws(PullFailure) -> Outcome {
    // Before minutes of reading, not after them.
    let groups = try inFolder { _, old in old?.assignedGroups.filter(\.isGUID) ?? [] }
    let tenant: PulledTenant
    do throws(GraphFailure) { tenant = try await pull.run(alsoGroups: groups) } catch { throw PullFailure(error) }
    guard !Task.isCancelled else { throw PullFailure("Canceled. Nothing was changed.") }
    return try inFolder { replacement, old throws(PullFailure) in
      if let id = old?.tenantId, !id.isEmpty, id.lowercasedASCII != tenant.tenantId.lowercasedASCII {
        throw PullFailure(
          "\(folder) has the tenant \(id), but Graph has the tenant \(tenant.tenantId). Pull into another folder.")
      }
      return try write(PulledFolder(tenant, replacing: old), replacing: old, replacement)
    }
  }

  private func write(
    _ new: PulledFolder, replacing old: PulledFolder?, _ replacement: FolderReplacement
  ) throws(PullFailure) -> Outcome {
    let changes = PullChanges(from: old, to: new)
    if old == nil || new.files.map(\.text) != old?.files.map(\.text) { try replacement.replace(with: new.files) }
    return Outcome(
      changes: changes, findings: new.findings, users: new.users.count,
      policies: new.policies.values.reduce(0) { $0 + $1.count })
  }

  private func inFolder<Result>(
    _ body: (FolderReplacement, PulledFolder?) throws(PullFailure) -> Result
  ) throws(PullFailure) -> Result {
    try FolderReplacement.run(at: folder, names: PulledFolder.names, subfolders: PulledFolder.folders) {
      replacement throws(PullFailure) in try body(replacement, try PulledFolder(readingAt: folder))
    }
  }
}
