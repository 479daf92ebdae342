/// Who may use the administrators' side: callers with certain roles or, if a provider grants them to administrators alone,
/// certain scopes.
package struct GraphAdministrators: Hashable, Sendable {
  /// What a caller may do.
  package enum Right: String, CaseIterable, Sendable { case read, wipe }

  package static let readRole = "DeviceManagementApps.Read.All"
  package static let writeRole = "DeviceManagementApps.ReadWrite.All"

  private var roles: [Right: Set<String>]
  private var scopes: [Right: Set<String>]

  /// Each text is a name, for both rights, or a name after `read=` or `wipe=`. Without roles, Graph's two permissions count
  /// as roles: the one that reads, and the one that reads and wipes. Without scopes, no scope counts, because a delegated
  /// scope does not prove that the user is an administrator.
  package init(roles: [String] = [], scopes: [String] = []) {
    self.roles =
      roles.isEmpty ? [.read: [Self.readRole, Self.writeRole], .wipe: [Self.writeRole]] : Self.rights(roles)
    self.scopes = Self.rights(scopes)
  }

  /// Who may wipe may read, too.
  private static func rights(_ texts: [String]) -> [Right: Set<String>] {
    var rights: [Right: Set<String>] = [:]
    for text in texts {
      let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
      if parts.count == 2, let right = Right(rawValue: parts[0]) {
        rights[right, default: []].insert(parts[1])
        if right == .wipe { rights[.read, default: []].insert(parts[1]) }
      } else {
        for right in Right.allCases { rights[right, default: []].insert(text) }
      }
    }
    return rights
  }

  package func permits(_ right: Right, _ caller: Caller) -> Bool {
    !caller.roles.isDisjoint(with: roles[right] ?? []) || !caller.scopes.isDisjoint(with: scopes[right] ?? [])
  }

  /// A refusal that names what to grant.
  func refusal(_ right: Right) -> GraphError {
    let needed = (roles[right] ?? []).union(scopes[right] ?? []).sorted().joined(separator: " or ")
    let remedy = needed.isEmpty ? "The service has none; see --admin-role." : "Assign \(needed)."
    return GraphError(
      403, "Forbidden", "The token has no role that may \(right == .read ? "read here" : "wipe"). \(remedy)")
  }
}
