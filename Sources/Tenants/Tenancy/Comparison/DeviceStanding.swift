import Model
import Policy

/// What happens to an account on a device at its next check-in.
package enum DeviceStanding: Int, Comparable, Hashable, Sendable {
  /// It may be used, perhaps after a sign-in.
  case free
  case blocked, wiped

  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// An account in an app on a device, as it has described itself.
package struct DescribedDevice: Sendable {
  /// The object id of the user.
  let user: String
  let app: String
  let device: Device

  /// What is not described counts as not reported.
  package init(user: String, app: String, _ device: Device) {
    (self.user, self.app, self.device) = (user, app, device)
  }

  fileprivate var filtered: FilterDevice {
    FilterDevice(
      managementType: device.managementType, manufacturer: device.manufacturer, model: device.model,
      osVersion: device.osVersion)
  }
}

/// Says what two versions of a tenant do to devices, with the rules that `tenant diff` asks about.
package struct DeviceStandings {
  private struct Place: Hashable {
    let groups: [String]
    let isManaged: Bool
    let app: String
    let platform: DevicePlatform
    let filtered: FilterDevice
  }

  private struct Applied {
    let documents: [ShareContent.Protection]
    let policy: CompiledPolicy?
  }

  private struct Version {
    let tenant: TenantSnapshot
    let users: [String: TenantUser]
    var applied: [Place: Applied] = [:]

    init(_ tenant: TenantSnapshot) {
      self.tenant = tenant
      users = Dictionary(tenant.users.map { ($0.id.lowercasedASCII, $0) }) { first, _ in first }
    }

    mutating func applied(to user: TenantUser, _ described: DescribedDevice) -> Applied {
      let platform = described.device.platform
      let place = Place(
        groups: user.groups, isManaged: tenant.mdm.map { tenant.user(for: $0.user) == user } ?? false,
        app: described.app, platform: platform, filtered: described.filtered)
      if let known = applied[place] { return known }
      let targeting = tenant.targeting(
        of: user, app: described.app, platform: platform, managementLevel: tenant.managementLevel,
        on: described.filtered)
      let applied = Applied(
        documents: targeting.policies.map { .init(document: $0.withoutDescription, isBlocking: false) },
        policy: CompiledPolicy(merging: targeting.policies, platform: platform))
      self.applied[place] = applied
      return applied
    }
  }

  private var old: Version
  private var new: Version
  private var wipes = WipeComparison()

  package init(from old: TenantSnapshot, to new: TenantSnapshot) {
    (self.old, self.new) = (Version(old), Version(new))
  }

  /// Before and after. A user who is not listed keeps what there was: absence is no instruction.
  package mutating func standings(of described: DescribedDevice) -> (before: DeviceStanding, after: DeviceStanding) {
    let id = described.user.lowercasedASCII
    guard let user = old.users[id] ?? new.users[id] else { return (.free, .free) }
    let last = old.applied(to: user, described).policy
    let before = old.users[id].map { Self.standing(of: $0, described, old.tenant, last) } ?? .free
    guard let now = new.users[id] else { return (before, before) }
    // Whoever may not sign in gets no policy: the last one decides.
    let policy = now.isEnabled ? new.applied(to: now, described).policy : last
    return (before, Self.standing(of: now, described, new.tenant, policy))
  }

  /// What would wipe the device only now if it reported something else, in words; `nil` if there is nothing.
  package mutating func newWipe(of described: DescribedDevice) -> String? {
    let id = described.user.lowercasedASCII
    guard let before = old.users[id], let after = new.users[id], after.isEnabled else { return nil }
    return wipes.newWipe(
      from: old.applied(to: before, described).documents, to: new.applied(to: after, described).documents,
      on: described.device.platform)
  }

  private static func standing(
    of user: TenantUser, _ described: DescribedDevice, _ tenant: TenantSnapshot, _ policy: CompiledPolicy?
  ) -> DeviceStanding {
    var facts = QuestionFacts()
    facts.device = described.device
    facts.isSignInRefused = !user.isEnabled
    let outcomes = policy?.launch.findings(facts.facts(on: described.device.platform)).map(\.outcome) ?? []
    if outcomes.contains(.wipe) { return .wiped }
    let isAllowed = tenant.allowedAccounts?.contains { tenant.user(for: $0)?.id == user.id } ?? true
    return outcomes.contains(.block) || !isAllowed ? .blocked : .free
  }
}
