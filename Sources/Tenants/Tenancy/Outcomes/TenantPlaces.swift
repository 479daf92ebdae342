import Model
import Policy

/// A kind of device that targeting tells from others.
package struct TenantDevice: Hashable, Sendable {
  package let platform: DevicePlatform
  /// How the device is managed; `nil` if the tenant decides.
  package let managementType: ManagementType?
}

/// An app on a kind of device.
package struct TenantPlace: Hashable, Sendable {
  package let app: TenantShare.App
  package let device: TenantDevice
}

/// The places in which the users of one tenant, or of several versions of it, are compared: each app on each device.
package struct TenantPlaces: Sendable {
  package let apps: [TenantShare.App]
  package let devices: [TenantDevice]

  /// All places between which any of the tenants can tell a difference: each app that one of them names, another app of
  /// Microsoft and any other app, on each platform, managed in each way.
  package init(of tenants: TenantSnapshot...) {
    let names = tenants.reduce(into: Set<String>()) { $0.formUnion($1.appNames) }
    apps = names.sorted().map(TenantShare.App.named) + [.otherOfMicrosoft, .other]
    let compare = tenants.contains(where: \.comparesManagement)
    devices = DevicePlatform.allCases.flatMap { platform in
      ([nil] + (compare ? platform.managementTypes : [])).map { TenantDevice(platform: platform, managementType: $0) }
    }
  }

  /// One app on all devices of other places.
  init(app: String, among places: TenantPlaces) {
    (apps, devices) = ([.named(app)], places.devices)
  }

  /// The places that a check of one tenant shows: those where its policies can differ, or only one app or platform.
  init(shownOf tenant: TenantSnapshot, app: String?, platform: DevicePlatform?) {
    apps = app.map { [TenantShare.App.named($0)] } ?? tenant.namedApps
    devices = (platform.map { [$0] } ?? tenant.platforms).flatMap { platform in
      tenant.shownManagementTypes(on: platform).map { TenantDevice(platform: platform, managementType: $0) }
    }
  }

  /// By app, then by device.
  package var all: [TenantPlace] { (0..<count).map(place) }

  package var count: Int { apps.count * devices.count }

  func place(_ index: Int) -> TenantPlace {
    TenantPlace(app: apps[index / devices.count], device: devices[index % devices.count])
  }
}

extension DevicePlatform {
  /// The ways to manage a device that a host can report.
  fileprivate var managementTypes: [ManagementType] {
    switch self {
    case .ios: [.unmanaged, .managed]
    case .android: ManagementType.allCases.filter { $0 != .notReported && $0 != .managed }
    case .windows: []
    }
  }
}

extension TenantSnapshot {
  private var targetings: [PolicyTargeting] { policies.map(\.targeting) + configurations.map(\.targeting) }

  /// Whether it matters to a policy or to a filter how a device is managed.
  fileprivate var comparesManagement: Bool {
    filters.compareManagement || targetings.contains { !$0.managementLevels.isEmpty }
  }

  /// The apps that assignments and exports name.
  fileprivate var appNames: Set<String> {
    let listed =
      assignments.flatMap(\.apps)
      + targetings.flatMap { $0.meansCoreApps ? [CoreMicrosoftApps.example] : $0.apps ?? [] }
    return Set(listed.filter { $0 != "*" })
  }

  /// The apps that assignments and exports name, then any other app.
  fileprivate var namedApps: [TenantShare.App] {
    let areMicrosofts = targetings.contains { $0.appGroupType?.isMicrosofts == true }
    return appNames.sorted().map(TenantShare.App.named) + (areMicrosofts ? [.otherOfMicrosoft] : []) + [.other]
  }

  /// Phones, and Windows if the tenant has a policy for it: nothing else can apply there.
  fileprivate var platforms: [DevicePlatform] {
    policies.contains { $0.kind == .windows } ? DevicePlatform.allCases : [.ios, .android]
  }

  /// The ways to manage a device that a check tells apart: both, if a filter compares them and a host may report either.
  fileprivate func shownManagementTypes(on platform: DevicePlatform) -> [ManagementType?] {
    guard filters.compareManagement, mdm == nil, platform != .windows else { return [nil] }
    return [.unmanaged, platform == .android ? .androidEnterprise : .managed]
  }
}

extension PolicyTargeting {
  /// Whether the policy is for Microsoft's core apps, but does not list them.
  var meansCoreApps: Bool { appGroupType == .allCoreMicrosoftApps && apps?.isEmpty ?? true }
}

extension AppGroupType {
  var isMicrosofts: Bool { self == .allMicrosoftApps || self == .allCoreMicrosoftApps }
}
