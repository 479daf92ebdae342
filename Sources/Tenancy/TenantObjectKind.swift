import JSON
import Model
import Policy

/// What an object in a tenant's file is.
enum TenantObjectKind: Equatable {
  case protection(PolicyKind)
  case configuration
  /// A policy of Graph that never applies to an app on iOS or Android.
  case foreign(String)

  /// By `@odata.type`; `nil` for a type that is not known. As in OData, letters count as they are written.
  init?(type: String) {
    let name = type.lastNamePart
    if let kind = Self.applying[name] {
      self = kind
    } else if Self.foreignTypes.contains(name) {
      self = .foreign(name)
    } else {
      return nil
    }
  }

  /// The type that was most likely meant.
  static func nearestType(to type: String) -> String? {
    (applying.keys.sorted() + foreignTypes).nearest(to: type.lastNamePart).map { "#microsoft.graph." + $0 }
  }

  private static let applying: [String: TenantObjectKind] = [
    "iosManagedAppProtection": .protection(.ios), "androidManagedAppProtection": .protection(.android),
    "defaultManagedAppProtection": .protection(.default), "targetedManagedAppConfiguration": .configuration,
  ]

  /// Windows Information Protection, app protection on Windows, and configuration that a managed device delivers.
  static let foreignTypes = [
    "windowsInformationProtection", "windowsInformationProtectionPolicy", "mdmWindowsInformationProtectionPolicy",
    "windowsManagedAppProtection", "iosMobileAppConfiguration", "androidManagedStoreAppConfiguration",
    "androidForWorkMobileAppConfiguration", "managedDeviceMobileAppConfiguration", "iosLobAppProvisioningConfiguration",
  ]

  /// By the collection that Graph says its answer is from, where the objects themselves do not say what they are.
  init?(context: String?) {
    let parts = context?.split(whereSeparator: { "/#(".contains($0) }) ?? []
    if parts.contains("iosManagedAppProtections") {
      self = .protection(.ios)
    } else if parts.contains("androidManagedAppProtections") {
      self = .protection(.android)
    } else if parts.contains("defaultManagedAppProtections") {
      self = .protection(.default)
    } else if parts.contains("targetedManagedAppConfigurations") {
      self = .configuration
    } else {
      return nil
    }
  }
}

extension JSONObject {
  /// What a device keeps: the object itself, or, as a dump has it, the one behind `<bundle id>.MAMPolicies`.
  package var deviceDictionary: JSONObject? {
    if self["IntuneMAMPolicies"]?.objectValue != nil { return self }
    return members.lazy.compactMap(\.value.objectValue).first { $0["IntuneMAMPolicies"]?.objectValue != nil }
  }
}
