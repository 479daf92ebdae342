import TestSupport
import Testing

@testable import Model
@testable import Policy
@testable import Tenancy

@Suite struct OutcomeTests {
  /// The outcome of one user alone, by what a check-in decides.
  private static func outcome(
    of user: TenantUser, in tenant: TenantSnapshot, _ places: TenantPlaces
  ) -> UserOutcome {
    let isDeviceUser = tenant.mdm.map { tenant.user(for: $0.user) == user } ?? false
    let isAllowed =
      tenant.allowedAccounts?.contains { $0.key == user.id.lowercasedASCII || $0.key == user.userPrincipalName } ?? true
    let entitlement = Entitlement(
      isEnabled: user.isEnabled, isLicensed: user.isLicensed, isAllowed: isAllowed,
      isBesideDevice: tenant.mdm != nil && !isDeviceUser, isDeviceUser: isDeviceUser)
    let outcomes = places.all.map { place in
      entitlement.isEntitled
        ? placeOutcome(of: user, in: tenant, place) : PlaceOutcome(policies: [], configurations: [], defaults: [])
    }
    return UserOutcome(
      entitlement: entitlement, allowedAccounts: tenant.allowedAccounts, certificatePins: tenant.certificatePins,
      deviceConfiguration: isDeviceUser ? tenant.mdm?.appConfig : nil, places: outcomes)
  }

  private static func placeOutcome(
    of user: TenantUser, in tenant: TenantSnapshot, _ place: TenantPlace
  ) -> PlaceOutcome {
    let device = FilterDevice(managementType: place.device.managementType ?? .notReported)
    let targeting = tenant.targeting(
      of: user, app: place.app.text, platform: place.device.platform, managementLevel: tenant.managementLevel,
      on: device)
    let reasons = Dictionary(
      targeting.considered.map { ($0.policyID, $0.reason) }, uniquingKeysWith: { first, _ in first })
    return PlaceOutcome(
      policies: targeting.policies.map { policy in
        let isUncertain = reasons[policy.id] == .appliesUnfiltered
        return PlaceOutcome.Policy(
          id: policy.id, filters: isUncertain ? uncertain(policy, user, tenant, place) : [])
      }, configurations: targeting.configurations.map(\.id),
      defaults: targeting.defaults.filter { !$0.customSettings.isEmpty }.map(\.id))
  }

  /// The filters of the user's assignments that nobody can evaluate.
  private static func uncertain(
    _ policy: PolicyDocument, _ user: TenantUser, _ tenant: TenantSnapshot, _ place: TenantPlace
  ) -> Set<UncertainFilter> {
    let groups = Set(user.groups.map(\.lowercasedASCII))
    let isManaged = tenant.mdm != nil
    let device = AudienceDevice(
      place.device.platform, tenant.managementLevel,
      FilterDevice(managementType: place.device.managementType ?? .notReported),
      isManaged: isManaged
    ).filtered
    let mine = (policy.targeting.assignments ?? []).filter { assignment in
      switch assignment.target {
      case .everybody: true
      case .group(let name): groups.contains(name.lowercasedASCII)
      case .exclusionGroup: false
      }
    }
    return Set(
      mine.compactMap(\.filter).filter {
        tenant.filters.outcome(of: $0, on: device, place.device.platform).kind == .unknown
      }.map { UncertainFilter(id: $0.id.lowercasedASCII, mode: $0.mode, rule: try? tenant.filters[$0.id]?.rule.get()) })
  }

  @Test("Users share a class if and only if each of them alone gets the same outcome", arguments: 0..<400)
  func property(seed: Int) {
    var random = RandomTenant(seed: UInt64(seed))
    let tenant = random.make()
    for places in [TenantPlaces(of: tenant), TenantPlaces(shownOf: tenant, app: nil, platform: nil)] {
      let outcomes = tenant.outcomes(of: tenant.users, in: places)
      let alone = tenant.users.map { Self.outcome(of: $0, in: tenant, places) }
      #expect(outcomes.classNumbers.map { outcomes.outcome(of: $0) } == alone)
      #expect(Set(outcomes.classNumbers).count == Set(alone).count)
      #expect(outcomes.classes.count == Set(alone).count)
      #expect(outcomes.classes.map(\.users.count).reduce(0, +) == tenant.users.count)
    }
  }

  @Test("The rows of a class of users cover each place once, with what the users get there", arguments: 0..<100)
  func rows(seed: Int) {
    var random = RandomTenant(seed: UInt64(seed))
    let tenant = random.make()
    let places = TenantPlaces(of: tenant)
    let outcomes = tenant.outcomes(of: tenant.users, in: places)
    for found in outcomes.classes {
      var shown: [TenantPlace: [String]] = [:]
      for row in outcomes.rows(of: found) {
        let ids = row.policies.map(\.id) + row.configurations.map(\.id) + row.hiddenDefaults.map(\.id)
        for app in row.apps {
          for device in row.devices {
            let earlier = shown.updateValue(ids, forKey: TenantPlace(app: app, device: device))
            #expect(earlier == nil)
          }
        }
      }
      let expected = (0..<places.count).map { place in
        let result = outcomes.result(of: found, at: place)
        return outcomes.policies(of: result).map(\.id) + outcomes.configurations(of: result).map(\.id)
          + outcomes.hiddenDefaults(of: result).map(\.id)
      }
      #expect(places.all.map { shown[$0] } == expected)
      #expect(shown.count == places.count)
    }
  }

  @Test("The places of two tenant versions together include the places of each", arguments: 0..<40)
  func twoVersions(seed: Int) {
    var random = RandomTenant(seed: UInt64(seed))
    let (old, new) = (random.make(), random.make())
    let places = TenantPlaces(of: old, new)
    #expect(Set(TenantPlaces(of: old).all).isSubset(of: places.all))
    #expect(Set(TenantPlaces(of: new).all).isSubset(of: places.all))
    for tenant in [old, new] {
      let outcomes = tenant.outcomes(of: old.users, in: places)
      let alone = old.users.map { tenant.outcomes(of: [$0], in: places).outcome(of: 0) }
      #expect(outcomes.classNumbers.map { outcomes.outcome(of: $0) } == alone)
    }
  }

  @Test("A policy that applies nowhere is reported with the reason that comes nearest for any user", arguments: 0..<200)
  func nobody(seed: Int) {
    var random = RandomTenant(seed: UInt64(seed))
    let tenant = random.make()
    let places = TenantPlaces(shownOf: tenant, app: nil, platform: nil)
    let outcomes = tenant.outcomes(of: tenant.users, in: places)
    var reasons: [String: Set<TargetingReason>] = [:]
    for user in tenant.users where Self.outcome(of: user, in: tenant, places).entitlement.isEntitled {
      for place in places.all {
        let device = FilterDevice(managementType: place.device.managementType ?? .notReported)
        let considered = tenant.targeting(
          of: user, app: place.app.text, platform: place.device.platform, managementLevel: tenant.managementLevel,
          on: device
        ).considered
        for one in considered { reasons[one.policyID, default: []].insert(one.reason) }
      }
    }
    for finding in outcomes.findings where finding.kind == .policyForNobody {
      let id = finding.policy ?? ""
      let found = (reasons[id] ?? []).subtracting([.otherPlatform])
      let order = TargetingReason.allCases
      let nearest = found.max { (order.firstIndex(of: $0) ?? 0) < (order.firstIndex(of: $1) ?? 0) }
      #expect(
        finding.text == "applies to nobody, because \(nearest.map { "it \($0.text)" } ?? "no user can get a policy")")
    }
    let usedDefaults = Set(tenant.policies.filter { !$0.customSettings.isEmpty }.map(\.id))
    let unused = (tenant.policies.map(\.id) + tenant.configurations.map(\.id)).filter { id in
      !(reasons[id] ?? []).contains { $0.isApplied || $0 == .hiddenByTargeted && usedDefaults.contains(id) }
    }
    let told = outcomes.findings.filter { $0.kind == .policyForNobody }.compactMap(\.policy)
    #expect(told == unused)
  }

  @Test("A number is written with commas between groups of three digits")
  func grouped() {
    let texts = [0, 7, 999, 1_000, 3_210, 100_000, 1_234_567, -1_000].map(\.grouped)
    #expect(texts == ["0", "7", "999", "1,000", "3,210", "100,000", "1,234,567", "-1,000"])
  }
}

/// What large tenants cost is told by the number of decisions, which does not grow with the users.
@Suite struct LargeTenantTests {
  private static let policies = 500

  /// A tenant in which every policy is for everybody except one group, and users are in three groups each.
  private static func excluding(users: Int) -> TenantSnapshot {
    var tenant = TenantSnapshot()
    let all = (0..<users).map { index in
      TenantUser(
        id: "id-\(index)", userPrincipalName: "user\(index)@contoso.example", displayName: "", mail: nil,
        isLicensed: true, isEnabled: true,
        groups: [index % policies, index * 7 % policies, index * 31 % policies].map { "group\($0)" }, clock: nil)
    }
    tenant.users = TenantUsers(all)
    tenant.policies = (0..<policies).map { index in
      let assignments = [PolicyAssignment(.everybody), PolicyAssignment(.exclusionGroup("group\(index)"))]
      return PolicyDocument(
        id: "T_\(index)", kind: .ios, source: "policies/\(index).json",
        targeting: PolicyTargeting(assignments: assignments))
    }
    return tenant
  }

  @Test("500 policies that each exclude one group take one decision per group, with few findings")
  func excludedGroups() {
    let tenant = Self.excluding(users: 2_000)
    let places = TenantPlaces(shownOf: tenant, app: nil, platform: nil)
    let outcomes = tenant.outcomes(of: tenant.users, in: places)
    #expect(outcomes.rows.count == 2 * Self.policies)
    let visible = outcomes.policies(of: outcomes.result(of: outcomes.classes[1], at: 0))
    #expect(visible.count == Self.policies - 3)
    let merges = outcomes.findings.filter { $0.kind == .mergedPolicies }
    #expect(merges.count == 21)
    #expect(merges.allSatisfy { $0.line.count < 300 })
    #expect(merges.last?.text.hasSuffix("more sets of policies are merged, each for at most as many users") == true)
  }

  @Test("The number of decisions grows with the groups in policies, not with the users")
  func decisions() {
    let counts = [1_000, 4_000].map { users in
      let tenant = Self.excluding(users: users)
      return tenant.outcomes(of: tenant.users, in: TenantPlaces(of: tenant)).rows.count
    }
    #expect(counts[0] == counts[1])
  }
}
