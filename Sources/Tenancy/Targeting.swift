import Model
import Policy

/// The policies and configurations for one user in one app on one device, and why the others do not apply.
package struct Targeting: Sendable {
  package struct Considered: Hashable, Sendable {
    package var policyID: String
    package var reason: TargetingReason
    package var isApplied: Bool { reason == .applies }
  }

  /// The protection policies that apply. A default policy applies only if no targeted policy does.
  package var policies: [PolicyDocument] = []
  package var configurations: [ConfigurationDocument] = []
  /// The default policies for this user, hidden or not, because they contain the default app configuration.
  package var defaults: [PolicyDocument] = []
  /// Every policy and configuration of the tenant.
  package var considered: [Considered] = []
}

package enum TargetingReason: String, CaseIterable, Sendable {
  case applies, otherPlatform, noAssignment, noGroup, excludedGroup, otherApp, noApps, otherManagementLevel
  case hiddenByTargeted, replacedByTest

  /// A predicate of the policy.
  package var text: String {
    switch self {
    case .applies: "applies"
    case .otherPlatform: "is for a platform other than the device's"
    case .noAssignment: "is assigned to nobody"
    case .noGroup: "is not assigned to any group of the user"
    case .excludedGroup: "excludes a group of the user"
    case .otherApp: "is not for this app"
    case .noApps: "is for selected apps but lists none; export it with its apps"
    case .otherManagementLevel: "is for devices that are managed in another way"
    case .hiddenByTargeted: "is the default policy, which a targeted policy hides"
    case .replacedByTest: "is replaced by a test policy"
    }
  }
}

extension TenantSnapshot {
  /// Determines what applies. `managementLevel` says how the device is managed.
  package func targeting(
    of user: TenantUser, app: String, platform: DevicePlatform, managementLevel: AppManagementLevel = .unmanaged
  ) -> Targeting {
    let audience = TargetingAudience(user: user, app: app, managementLevel: managementLevel, assignments: assignments)
    var targeting = Targeting()
    let judged = policies.map { policy -> (PolicyDocument, TargetingReason) in
      guard policy.counts(on: platform) else { return (policy, .otherPlatform) }
      return (policy, audience.reason(policy.targeting, in: policy.source))
    }
    let hidesDefaults = judged.contains { $0.0.kind != .default && $0.1 == .applies }
    for (policy, reason) in judged {
      if reason == .applies, policy.kind == .default { targeting.defaults.append(policy) }
      let isHidden = hidesDefaults && policy.kind == .default && reason == .applies
      if reason == .applies, !isHidden { targeting.policies.append(policy) }
      targeting.considered.append(.init(policyID: policy.id, reason: isHidden ? .hiddenByTargeted : reason))
    }
    for configuration in configurations {
      let reason = audience.reason(configuration.targeting, in: configuration.source)
      if reason == .applies { targeting.configurations.append(configuration) }
      targeting.considered.append(.init(policyID: configuration.id, reason: reason))
    }
    return targeting
  }

  /// The app configuration of a user, made of the documents in `targeting`. For the user that the device is managed
  /// for, it includes the configuration of the device.
  package func appConfig(of user: TenantUser, _ targeting: Targeting) -> AppConfig {
    let managed = mdm.flatMap { mdm in self.user(for: mdm.user) == user ? mdm.appConfig : nil }
    return AppConfig(
      configurations: targeting.configurations, defaults: targeting.defaults, mdm: managed,
      tokens: ConfigTokens(user: user, tenantID: tenantId))
  }
}

/// One user in one app, to check the targeting of policies against.
private struct TargetingAudience {
  let groups: Set<String>
  let app: String
  let managementLevel: AppManagementLevel
  let assignments: [String: [TenantAssignment]]

  init(user: TenantUser, app: String, managementLevel: AppManagementLevel, assignments: [TenantAssignment]) {
    groups = Set(user.groups.map(\.lowercasedASCII))
    self.app = app.lowercasedASCII
    self.managementLevel = managementLevel
    self.assignments = Dictionary(grouping: assignments, by: \.file)
  }

  func reason(_ targeting: PolicyTargeting, in file: String) -> TargetingReason {
    let who = assignments[file].map(reason(assigned:)) ?? reason(own: targeting)
    guard who == .applies else { return who }
    let levels = targeting.managementLevels
    return levels.isEmpty || levels.contains(managementLevel) ? .applies : .otherManagementLevel
  }

  /// The result for assignments in tenant.json. Groups and apps must both match in one assignment.
  private func reason(assigned assignments: [TenantAssignment]) -> TargetingReason {
    let mine = assignments.filter { $0.groups.contains { $0 == "*" || groups.contains($0.lowercasedASCII) } }
    guard !mine.isEmpty else { return .noGroup }
    return mine.contains { names(app, in: $0.apps) } ? .applies : .otherApp
  }

  private func reason(own targeting: PolicyTargeting) -> TargetingReason {
    guard !targeting.needsAssignment else { return .noAssignment }
    let who = reason(targeting.assignments)
    return who == .applies ? reason(targeting.apps, targeting.appGroupType) : who
  }

  private func reason(_ targets: [GroupTarget]?) -> TargetingReason {
    guard let targets else { return .applies }
    guard !targets.isEmpty else { return .noAssignment }
    var isIncluded = false
    for target in targets {
      switch target {
      case .everybody: isIncluded = true
      case .group(let name): isIncluded = isIncluded || groups.contains(name.lowercasedASCII)
      case .exclusionGroup(let name): if groups.contains(name.lowercasedASCII) { return .excludedGroup }
      }
    }
    return isIncluded ? .applies : .noGroup
  }

  private func reason(_ apps: [String]?, _ type: AppGroupType?) -> TargetingReason {
    switch type {
    case .allApps: return .applies
    case .allMicrosoftApps, .allCoreMicrosoftApps: return app.hasPrefix("com.microsoft.") ? .applies : .otherApp
    case .selectedPublicApps: return apps.map { names(app, in: $0) ? .applies : .otherApp } ?? .noApps
    case nil: return apps.map { names(app, in: $0) ? .applies : .otherApp } ?? .applies
    }
  }

  private func names(_ app: String, in apps: [String]) -> Bool {
    apps.contains { $0 == "*" || $0.lowercasedASCII == app }
  }
}
