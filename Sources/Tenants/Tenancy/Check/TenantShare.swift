import Model
import Policy

/// What one user gets in one app on one platform.
package struct TenantShare: Sendable {
  package enum App: Hashable, Sendable {
    case named(String)
    /// An app that the tenant does not name: an app of Microsoft, or any other.
    case otherOfMicrosoft, other

    /// The identifier that targeting compares.
    fileprivate var identifier: String {
      switch self {
      case .named(let name): name
      case .otherOfMicrosoft: "com.microsoft.*"
      case .other: "*"
      }
    }

    package var text: String { identifier }
  }

  package let user: TenantUser
  package let app: App
  package let platform: DevicePlatform
  /// How the device is managed; `nil` if no filter asks, or if the tenant decides.
  package let managementType: ManagementType?
  /// A clause that says why the user gets nothing, regardless of assignments; `nil` if there is no such reason.
  package let obstacle: String?
  package let targeting: Targeting

  package var policies: [PolicyDocument] { obstacle == nil ? targeting.policies : [] }
  package var configurations: [ConfigurationDocument] { obstacle == nil ? targeting.configurations : [] }

  static func all(
    in tenant: TenantSnapshot, users: [TenantUser]? = nil, apps: [App], platforms: [DevicePlatform]
  ) -> [TenantShare] {
    (users.map { TenantUsers($0) } ?? tenant.users).flatMap { user in
      apps.flatMap { app in
        platforms.flatMap { platform in
          tenant.managementTypes(of: user, on: platform).map { TenantShare(user, app, platform, $0, in: tenant) }
        }
      }
    }
  }

  private init(
    _ user: TenantUser, _ app: App, _ platform: DevicePlatform, _ managementType: ManagementType?,
    in tenant: TenantSnapshot
  ) {
    self.user = user
    self.app = app
    self.platform = platform
    self.managementType = managementType
    obstacle = tenant.obstacle(to: user)
    targeting = tenant.targeting(
      of: user, app: app.identifier, platform: platform, managementLevel: tenant.managementLevel,
      on: FilterDevice(managementType: managementType ?? .notReported))
  }
}

extension TenantSnapshot {
  /// The ways to manage a device that a check tells apart: both, if a filter compares them and a host may report either.
  fileprivate func managementTypes(of user: TenantUser, on platform: DevicePlatform) -> [ManagementType?] {
    guard filters.compareManagement, mdm == nil, platform != .windows else { return [nil] }
    return [.unmanaged, platform == .android ? .androidEnterprise : .managed]
  }

  /// The apps that assignments and exports name, then any other app.
  var namedApps: [TenantShare.App] {
    let targetings = policies.map(\.targeting) + configurations.map(\.targeting)
    let listed =
      assignments.flatMap(\.apps)
      + targetings.flatMap { $0.meansCoreApps ? [CoreMicrosoftApps.example] : $0.apps ?? [] }
    let names = Set(listed.filter { $0 != "*" })
    let areMicrosofts = targetings.contains { $0.appGroupType?.isMicrosofts == true }
    return names.sorted().map(TenantShare.App.named) + (areMicrosofts ? [.otherOfMicrosoft] : []) + [.other]
  }

  /// Checked in the order of a check-in.
  fileprivate func obstacle(to user: TenantUser) -> String? {
    if !user.isEnabled { return "the user is disabled" }
    if let mdm, self.user(for: mdm.user) != user { return "the device is managed for another user" }
    return user.isLicensed ? nil : "the user has no license"
  }
}

extension PolicyTargeting {
  /// Whether the policy is for Microsoft's core apps, but does not list them.
  var meansCoreApps: Bool { appGroupType == .allCoreMicrosoftApps && apps?.isEmpty ?? true }
}

extension AppGroupType {
  fileprivate var isMicrosofts: Bool { self == .allMicrosoftApps || self == .allCoreMicrosoftApps }
}
