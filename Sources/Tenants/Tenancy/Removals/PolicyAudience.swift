import Model
import Policy

/// To whom a policy or a configuration applies in some app.
package struct PolicyAudience: Hashable, Sendable {
  package let id: String
  package let displayName: String
  /// How many users it applies to, and how many could get it: those who are enabled and have a license.
  package let count: Int
  package let all: Int
}

extension TenantSnapshot {
  /// Of each policy and configuration. A target that nobody knows is nobody.
  package var audiences: [PolicyAudience] {
    func isEntitled(_ user: TenantUser) -> Bool { user.isEnabled && user.isLicensed }
    let all = users.count(where: isEntitled)
    let overrides = Dictionary(grouping: assignments, by: \.file)
    let configured = configurations.map { configuration in
      let assigned = overrides[configuration.source].map(PolicyReach.init(assigned:))
      return (configuration.id, configuration.displayName, assigned ?? PolicyReach(own: configuration.targeting))
    }
    let reaches = reaches
    let listed =
      policies.map { ($0.id, $0.displayName, reaches[$0.id] ?? PolicyReach(isForEverybody: true)) } + configured
    let members = GroupMembers(of: self, in: UserIndex(self), for: listed.map(\.2), where: isEntitled)
    return listed.map { id, name, reach in
      PolicyAudience(id: id, displayName: name, count: members.audience(of: reach).count, all: all)
    }
  }
}
