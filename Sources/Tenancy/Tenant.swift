import JSON
import Model
import Policy

/// A source of accounts, policies and configurations.
package protocol Tenant: Sendable {
  /// Reads everything again.
  func read() throws(TenantError) -> TenantSnapshot
}

/// Why a tenant cannot be read.
package enum TenantError: Error, Hashable, Sendable {
  /// There is no tenant.
  case missing(path: String, hint: String)
  /// One file is damaged. Nothing is read then, and the last good policies still apply.
  case unparsable(file: String, reason: String)
}

extension TenantError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .missing("", let hint): "there is no policy source. \(hint)"
    case .missing(let path, let hint): "there is no tenant folder at \(path). \(hint)"
    case .unparsable(let file, let reason): "\(file): \(reason)"
    }
  }
}

/// The place that policies come from.
public enum TenantLocation: Equatable, Sendable {
  /// No place. Enrollment ends with locationServiceFailure.
  case none
  /// The built-in tenant contoso.example.
  case sample
  /// A folder with a tenant.json.
  case folder(String)
}

extension TenantLocation {
  /// Reads the tenant.
  package func read() -> Result<TenantSnapshot, TenantError> {
    switch self {
    case .none: .failure(.missing(path: "", hint: "Name one with --tenant."))
    case .sample: read(SampleTenant())
    case .folder(let path): read(FolderTenant(path: path))
    }
  }

  private func read(_ tenant: some Tenant) -> Result<TenantSnapshot, TenantError> {
    Result { () throws(TenantError) in try tenant.read() }
  }
}

/// The kind of an object in a tenant's file.
enum TenantObjectKind: Equatable {
  case protection(PolicyKind)
  case configuration
  /// A policy of Graph that protects no apps.
  case foreign(String)

  /// The kind for an `@odata.type`; `nil` if the type is unknown. As in OData, upper and lower case differ.
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

  /// The name of the type; `nil` for an object that protects no apps.
  var type: String? { Self.applying.first { $0.value == self }?.key }

  /// The known type that is nearest to a misspelled one.
  static func nearestType(to type: String) -> String? {
    (applying.keys.sorted() + foreignTypes).nearest(to: type.lastNamePart).map { "#microsoft.graph." + $0 }
  }

  private static let applying: [String: TenantObjectKind] = [
    "iosManagedAppProtection": .protection(.ios), "androidManagedAppProtection": .protection(.android),
    "windowsManagedAppProtection": .protection(.windows), "defaultManagedAppProtection": .protection(.default),
    "targetedManagedAppConfiguration": .configuration,
  ]

  /// Windows Information Protection, and configurations that a managed device delivers.
  static let foreignTypes = [
    "windowsInformationProtection", "windowsInformationProtectionPolicy", "mdmWindowsInformationProtectionPolicy",
    "iosMobileAppConfiguration", "androidManagedStoreAppConfiguration",
    "androidForWorkMobileAppConfiguration", "managedDeviceMobileAppConfiguration", "iosLobAppProvisioningConfiguration",
  ]

  /// The kind for the collection in Graph's `@odata.context`, for objects that have no type themselves.
  init?(context: String?) {
    let parts = context?.split(whereSeparator: { "/#(".contains($0) }) ?? []
    if parts.contains("iosManagedAppProtections") {
      self = .protection(.ios)
    } else if parts.contains("androidManagedAppProtections") {
      self = .protection(.android)
    } else if parts.contains("windowsManagedAppProtections") {
      self = .protection(.windows)
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
  /// The dictionary that a device stores: the object itself, or in a dump the object in `<bundle id>.MAMPolicies`.
  package var deviceDictionary: JSONObject? {
    if self["IntuneMAMPolicies"]?.objectValue != nil { return self }
    return members.lazy.compactMap(\.value.objectValue).first { $0["IntuneMAMPolicies"]?.objectValue != nil }
  }
}
