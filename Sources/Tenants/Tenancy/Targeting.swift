import Model
import Policy

/// The policies and configurations for one user in one app on one device, and why the others do not apply.
package struct Targeting: Sendable {
  package struct Considered: Hashable, Sendable {
    package var policyID: String
    package var reason: TargetingReason
    /// A clause about the filter of the assignment; `nil` if no filter matters.
    package var filter: String?

    package var isApplied: Bool { reason.isApplied }
    /// A predicate of the policy.
    package var text: String { filter.map { "\(reason.text): \($0)" } ?? reason.text }

    init(policyID: String, reason: TargetingReason, filter: String? = nil) {
      self.policyID = policyID
      self.reason = reason
      self.filter = filter
    }

    fileprivate init(policyID: String, verdict: TargetingVerdict) {
      self.init(policyID: policyID, reason: verdict.reason, filter: verdict.filter)
    }
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
  case applies, otherPlatform, noAssignment, noGroup, excludedGroup, filteredOut, otherApp, noApps, otherManagementLevel
  /// The assignment's filter cannot be evaluated. A policy applies nevertheless, but blocks where it would wipe.
  case appliesUnfiltered
  /// The assignment's filter cannot be evaluated, so the configuration does not apply.
  case filterUnknown
  case hiddenByTargeted, replacedByTest

  package var isApplied: Bool { self == .applies || self == .appliesUnfiltered }

  /// A predicate of the policy.
  package var text: String {
    switch self {
    case .applies: "applies"
    case .filteredOut: "is assigned with a filter that leaves out the device"
    case .appliesUnfiltered: "applies, but blocks where it would wipe, because of the filter of its assignment"
    case .filterUnknown: "does not apply, because of the filter of its assignment"
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
  /// Determines what applies. `managementLevel` says how the device is managed, unless a host has reported it.
  package func targeting(
    of user: TenantUser, app: String, platform: DevicePlatform, managementLevel: AppManagementLevel = .unmanaged,
    on device: FilterDevice = FilterDevice()
  ) -> Targeting {
    let isManaged = mdm.map { self.user(for: $0.user) == user } ?? false
    let audience = TargetingAudience(
      groups: Set(user.groups.map(\.lowercasedASCII)), app: app.lowercasedASCII,
      assignments: Dictionary(grouping: assignments, by: \.file), filters: filters,
      device: AudienceDevice(platform, managementLevel, device, isManaged: isManaged))
    var targeting = Targeting()
    targeting.considered.reserveCapacity(policies.count + configurations.count)
    for policy in policies {
      let verdict = audience.verdict(of: policy)
      if verdict.isApplied {
        let applied = audience.applied(policy, verdict)
        if policy.kind == .default { targeting.defaults.append(applied) } else { targeting.policies.append(applied) }
      }
      targeting.considered.append(.init(policyID: policy.id, verdict: verdict))
    }
    if targeting.policies.isEmpty {
      targeting.policies = targeting.defaults
    } else if !targeting.defaults.isEmpty {
      for index in policies.indices where policies[index].kind == .default && targeting.considered[index].isApplied {
        targeting.considered[index] = .init(policyID: policies[index].id, reason: .hiddenByTargeted)
      }
    }
    for configuration in configurations {
      let verdict = audience.verdict(of: configuration)
      if verdict.isApplied { targeting.configurations.append(configuration) }
      targeting.considered.append(.init(policyID: configuration.id, verdict: verdict))
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

/// Whether a policy applies.
struct TargetingVerdict {
  let reason: TargetingReason
  /// A clause about the filter of the assignment; `nil` if no filter matters.
  let filter: String?

  init(_ reason: TargetingReason, filter: String? = nil) {
    self.reason = reason
    self.filter = filter
  }

  var isApplied: Bool { reason.isApplied }

  /// A configuration protects nothing, so a filter that cannot be evaluated leaves it out.
  var ofConfiguration: TargetingVerdict {
    reason == .appliesUnfiltered ? TargetingVerdict(.filterUnknown, filter: filter) : self
  }
}

/// The device that policies are checked against.
struct AudienceDevice {
  let platform: DevicePlatform
  /// How the device may be managed.
  let levels: [AppManagementLevel]
  /// The device as filters see it.
  let filtered: FilterDevice

  /// `managementLevel` says how the device is managed, and `isManaged` whether it is managed for the user, unless a host
  /// has reported both.
  init(_ platform: DevicePlatform, _ managementLevel: AppManagementLevel, _ device: FilterDevice, isManaged: Bool) {
    self.platform = platform
    var levels = [device.managementType.level ?? managementLevel]
    // An Android device that is known only to be managed may be managed in both ways.
    if levels == [.mdm], platform == .android, device.managementType == .notReported {
      levels.append(.androidEnterprise)
    }
    self.levels = levels
    var filtered = device
    if device.managementType == .notReported, platform != .windows {
      filtered.managementType = isManaged ? platform == .android ? .androidEnterprise : .managed : .unmanaged
    }
    self.filtered = filtered
  }
}

/// One user in one app, to check the targeting of policies against.
struct TargetingAudience {
  /// In lower case.
  var groups: Set<String>
  /// In lower case.
  var app: String
  /// By file.
  let assignments: [String: [TenantAssignment]]
  let filters: AssignmentFilters
  var device: AudienceDevice

  /// The policy as it applies by a verdict.
  func applied(_ policy: PolicyDocument, _ verdict: TargetingVerdict) -> PolicyDocument {
    let isUnfiltered = verdict.reason == .appliesUnfiltered
    var applied = isUnfiltered ? policy.blockingInsteadOfWiping : policy
    applied.filterNote = verdict.filter.map { filter in
      isUnfiltered ? "\(filter), so it applies, but blocks where it would wipe" : filter
    }
    return applied
  }

  func verdict(of policy: PolicyDocument) -> TargetingVerdict {
    policy.counts(on: device.platform)
      ? verdict(policy.targeting, in: policy.source) : TargetingVerdict(.otherPlatform)
  }

  func verdict(of configuration: ConfigurationDocument) -> TargetingVerdict {
    verdict(configuration.targeting, in: configuration.source).ofConfiguration
  }

  /// The filters of the user's assignments that cannot be evaluated.
  func uncertainFilters(of targeting: PolicyTargeting) -> [FilterReference] {
    included(in: targeting.assignments ?? []).compactMap(\.filter).filter { outcome(of: $0).kind == .unknown }
  }

  private func verdict(_ targeting: PolicyTargeting, in file: String) -> TargetingVerdict {
    let who = assignments[file].map { TargetingVerdict(reason(assigned: $0)) } ?? verdict(own: targeting)
    guard who.isApplied else { return who }
    let wanted = targeting.managementLevels
    return wanted.isEmpty || device.levels.contains(where: wanted.contains)
      ? who : TargetingVerdict(.otherManagementLevel)
  }

  /// The result for assignments in tenant.json. Groups and apps must both match in one assignment.
  private func reason(assigned assignments: [TenantAssignment]) -> TargetingReason {
    let mine = assignments.filter { $0.groups.contains { $0 == "*" || groups.contains($0.lowercasedASCII) } }
    guard !mine.isEmpty else { return .noGroup }
    return mine.contains { names(app, in: $0.apps) } ? .applies : .otherApp
  }

  private func verdict(own targeting: PolicyTargeting) -> TargetingVerdict {
    guard !targeting.needsAssignment else { return TargetingVerdict(.noAssignment) }
    let who = verdict(targeting.assignments)
    guard who.isApplied else { return who }
    let reason = reason(targeting.apps, targeting.appGroupType)
    return reason == .applies ? who : TargetingVerdict(reason)
  }

  /// One assignment without a filter, or with a filter that lets the device through, is enough.
  private func verdict(_ assignments: [PolicyAssignment]?) -> TargetingVerdict {
    guard let assignments else { return TargetingVerdict(.applies) }
    guard !assignments.isEmpty else { return TargetingVerdict(.noAssignment) }
    guard !assignments.contains(where: { isExcluded(by: $0.target) }) else { return TargetingVerdict(.excludedGroup) }
    let mine = included(in: assignments)
    guard !mine.isEmpty else { return TargetingVerdict(.noGroup) }
    let references = mine.compactMap(\.filter)
    guard references.count == mine.count else { return TargetingVerdict(.applies) }
    let outcomes = references.map(outcome)
    func first(_ kind: FilterOutcome.Kind, _ reason: TargetingReason) -> TargetingVerdict? {
      outcomes.first { $0.kind == kind }.map { TargetingVerdict(reason, filter: $0.text) }
    }
    return first(.passes, .applies) ?? first(.unknown, .appliesUnfiltered) ?? first(.rejects, .filteredOut)
      ?? TargetingVerdict(.applies)
  }

  private func outcome(of filter: FilterReference) -> FilterOutcome {
    filters.outcome(of: filter, on: device.filtered, device.platform)
  }

  private func included(in assignments: [PolicyAssignment]) -> [PolicyAssignment] {
    assignments.filter { isIncluded(by: $0.target) }
  }

  private func isExcluded(by target: GroupTarget) -> Bool {
    if case .exclusionGroup(let name) = target { groups.contains(name.lowercasedASCII) } else { false }
  }

  private func isIncluded(by target: GroupTarget) -> Bool {
    switch target {
    case .everybody: true
    case .group(let name): groups.contains(name.lowercasedASCII)
    case .exclusionGroup: false
    }
  }

  private func reason(_ apps: [String]?, _ type: AppGroupType?) -> TargetingReason {
    let isListed = apps.map { names(app, in: $0) } ?? false
    switch type {
    case .allApps: return .applies
    case .allMicrosoftApps: return isListed || app.hasPrefix("com.microsoft.") ? .applies : .otherApp
    case .allCoreMicrosoftApps:
      let isListMissing = apps?.isEmpty ?? true
      return isListed || isListMissing && CoreMicrosoftApps.contains(app, on: device.platform) ? .applies : .otherApp
    case .selectedPublicApps: return apps == nil ? .noApps : isListed ? .applies : .otherApp
    case nil: return apps == nil || isListed ? .applies : .otherApp
    }
  }

  private func names(_ app: String, in apps: [String]) -> Bool {
    apps.contains { $0 == "*" || $0.lowercasedASCII == app }
  }
}
