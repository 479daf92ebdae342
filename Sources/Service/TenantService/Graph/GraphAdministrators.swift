/// Who may use the administrators' side: callers with certain roles or, if a provider grants them to administrators alone,
/// certain scopes.
package struct GraphAdministrators: Hashable, Sendable {
  /// What a caller may do.
  package enum Right: String, Sendable { case read, wipe, write, audit }

  package static let readRole = "DeviceManagementApps.Read.All"
  package static let writeRole = "DeviceManagementApps.ReadWrite.All"

  private var roles: [Right: Set<String>]
  private var scopes: [Right: Set<String>]

  /// Graph's two permissions count as roles: the one that reads, and the one that reads and wipes. No scope counts, because
  /// a delegated scope does not prove that the user is an administrator.
  package init() {
    roles = [.read: [Self.readRole, Self.writeRole], .wipe: [Self.writeRole]]
    scopes = [:]
  }

  /// Each text is a name, for both rights, or a name after `read=` or `wipe=`. Without roles, those of Graph count. Nobody
  /// may change the tenant but callers with one of `writeRoles`, and nobody may read its history but those with one of
  /// `auditRoles`. Both may read, too.
  package init(
    roles: [String] = [], scopes: [String] = [], writeRoles: [String] = [], auditRoles: [String] = []
  ) throws(UnknownRight) {
    self.init()
    if !roles.isEmpty { self.roles = try Self.rights(roles) }
    self.scopes = try Self.rights(scopes)
    self.writeRoles = Set(writeRoles)
    self.auditRoles = Set(auditRoles)
  }

  /// Whose callers may change the tenant. They may read, too.
  package var writeRoles: Set<String> {
    get { roles[.write] ?? [] }
    set { set(newValue, for: .write) }
  }

  /// Whose callers may read the history of the tenant. They may read, too.
  package var auditRoles: Set<String> {
    get { roles[.audit] ?? [] }
    set { set(newValue, for: .audit) }
  }

  private mutating func set(_ names: Set<String>, for right: Right) {
    roles[right] = names
    roles[.read, default: []].formUnion(names)
  }

  /// The rights that a name without a right before it gives.
  private static let usual: [Right] = [.read, .wipe]

  /// Who may wipe may read, too.
  private static func rights(_ texts: [String]) throws(UnknownRight) -> [Right: Set<String>] {
    var rights: [Right: Set<String>] = [:]
    for text in texts {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      if parts.count == 1 {
        for right in usual { rights[right, default: []].insert(text) }
      } else {
        guard let right = usual.first(where: { $0.rawValue == parts[0] }), !parts[1].isEmpty else {
          throw UnknownRight(text: text)
        }
        rights[right, default: []].insert(parts[1])
        if right == .wipe { rights[.read, default: []].insert(parts[1]) }
      }
    }
    return rights
  }

  package func permits(_ right: Right, _ caller: Caller) -> Bool {
    !caller.roles.isDisjoint(with: roles[right] ?? []) || !caller.scopes.isDisjoint(with: scopes[right] ?? [])
  }

  /// The roles and scopes that give the right, as words; `nil` if none does.
  func names(of right: Right) -> String? {
    let names = (roles[right] ?? []).sorted().map { "the role \($0)" }
    let all = names + (scopes[right] ?? []).sorted().map { "the scope \($0)" }
    guard let last = all.last else { return nil }
    return all.count == 1 ? last : all.dropLast().joined(separator: ", ") + " or " + last
  }

  /// A refusal that names what to grant.
  func refusal(_ right: Right) -> GraphError {
    let (action, option) =
      switch right {
      case .read: ("read here", "--admin-role")
      case .wipe: ("wipe", "--admin-role")
      case .write: ("change the tenant", "--write-role")
      case .audit: ("read the history of the tenant", "--audit-role")
      }
    guard let list = names(of: right) else {
      return GraphError(403, "Forbidden", "The service lets nobody \(action); see mambridge-tenant serve \(option).")
    }
    let message = "The token has no role that may \(action). Assign \(list)."
    guard right == .write else { return GraphError(403, "Forbidden", message) }
    return .intune(403, "Forbidden", "Application is not authorized to perform this operation. \(message)")
  }
}

/// A text for a role or scope whose part before `=` is no right.
package struct UnknownRight: Error, Hashable, CustomStringConvertible, Sendable {
  package let text: String

  package var description: String {
    "\"\(text)\" must be NAME, read=NAME or wipe=NAME. Write wipe=\(text) if the name itself has a \"=\"."
  }
}
