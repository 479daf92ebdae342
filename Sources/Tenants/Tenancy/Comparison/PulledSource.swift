import Model
import Policy

/// Where a version was pulled from.
package struct PulledSource: Hashable, Sendable {
  /// What a source does not say about its tenant.
  package enum Unsaid: String, CaseIterable, Hashable, Sendable {
    case allowedAccounts, certificatePins, deviceManagement, wipes, unknownRestrictions, deletedUsers
    /// The rules of assignment filters.
    case filters
    /// The assignments in tenant.json, and the groups that have a name there and no object id.
    case ownAssignments

    package var text: String {
      switch self {
      case .allowedAccounts: "allowed accounts"
      case .certificatePins: "certificate pins"
      case .deviceManagement: "the management of the device"
      case .wipes: "wipes"
      case .unknownRestrictions: "whether unknown restrictions block"
      case .deletedUsers: "deleted users"
      case .filters: "assignment filters"
      case .ownAssignments: "assignments in tenant.json"
      }
    }
  }

  package let address: String
  /// Whether it is Microsoft Graph, and not a tenant service.
  package let isGraph: Bool

  package init(address: String, isGraph: Bool) { (self.address, self.isGraph) = (address, isGraph) }

  package var unsaid: [Unsaid] { Unsaid.allCases.filter { isGraph ? $0 != .filters : $0 != .ownAssignments } }
}

extension ComparedTenant {
  /// The groups of the assignments in tenant.json, each once, sorted. Graph is asked who is in them.
  package var assignedGroups: [String] { Set(tenant.assignments.flatMap(\.groups)).subtracting(["*"]).sorted() }

  /// The version with what its source does not say as another version has it: what is unknown is no difference.
  func completed(by other: ComparedTenant) -> ComparedTenant {
    guard let source, other.source == nil else { return self }
    var version = self
    version.tenant.allowedAccounts = other.tenant.allowedAccounts
    version.tenant.certificatePins = other.tenant.certificatePins
    version.tenant.mdm = other.tenant.mdm
    version.tenant.operations = other.tenant.operations
    version.tenant.blocksUnknownRestrictions = other.tenant.blocksUnknownRestrictions
    for index in version.tenant.policies.indices {
      version.tenant.policies[index].blocksUnknown = other.tenant.blocksUnknownRestrictions
    }
    if !source.isGraph { version.tenant.filters = other.tenant.filters }
    version.tenant.adoptUsers(of: other.tenant, source)
    version.tenant.adoptAssignments(of: other.tenant, source)
    return version
  }
}

extension TenantSnapshot {
  /// Adds the deleted users that the source leaves out and, for Graph, the groups that only tenant.json knows.
  fileprivate mutating func adoptUsers(of other: TenantSnapshot, _ source: PulledSource) {
    var deleted: [TenantUser] = []
    var groups: [String: [String]] = [:]
    for user in other.users {
      if user.isDeleted { deleted.append(user) }
      let named = source.isGraph ? user.groups.filter { !$0.isGUID } : []
      if !named.isEmpty { groups[user.id.lowercasedASCII] = named }
    }
    guard !deleted.isEmpty || !groups.isEmpty else { return }
    let listed = Set(users.map(\.id.lowercasedASCII))
    users = TenantUsers(
      users.map { user in
        var user = user
        user.groups += groups[user.id.lowercasedASCII] ?? []
        return user
      } + deleted.filter { !listed.contains($0.id.lowercasedASCII) })
  }

  /// Moves each document into the file where the other tenant has it, whose assignments in tenant.json then apply. Graph
  /// does not know these. A service shows them as groups and apps of the document: if it shows what it would show of the
  /// other tenant's, these apply; else the document keeps what the service shows, in a file of its own.
  fileprivate mutating func adoptAssignments(of other: TenantSnapshot, _ source: PulledSource) {
    let assigned = Dictionary(grouping: other.assignments, by: \.file)
    func file(of known: String?, _ targeting: PolicyTargeting) -> String {
      guard let known else { return source.address }
      guard let assignments = assigned[known], !source.isGraph else { return known }
      return targeting.shows(assignments) ? known : source.address
    }
    let files = Dictionary(
      other.policies.map { ($0.id, $0.source) } + other.configurations.map { ($0.id, $0.source) }
    ) { first, _ in first }
    for index in policies.indices {
      policies[index].source = file(of: files[policies[index].id], policies[index].targeting)
    }
    for index in configurations.indices {
      configurations[index].source = file(of: files[configurations[index].id], configurations[index].targeting)
    }
    assignments = other.assignments
  }
}

extension PolicyTargeting {
  /// Whether a tenant service shows these assignments of tenant.json in this way: all groups, and all apps. The
  /// assignments of a default policy are not shown at all.
  fileprivate func shows(_ assigned: [TenantAssignment]) -> Bool {
    let names = Set(assigned.flatMap(\.apps).map(\.lowercasedASCII))
    let groups = Set(assigned.flatMap(\.groups).map(\.lowercasedASCII))
    let isOfApps = names.contains("*") ? appGroupType == .allApps : Set((apps ?? []).map(\.lowercasedASCII)) == names
    guard isOfApps, let assignments else { return isOfApps }
    let targets = assignments.map { assignment in
      switch assignment.target {
      case .everybody: "*"
      case .group(let name): name.lowercasedASCII
      case .exclusionGroup: ""
      }
    }
    return groups.contains("*") ? targets == ["*"] : Set(targets) == groups
  }
}
