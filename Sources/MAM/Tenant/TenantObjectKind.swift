import JSON
import Model

/// What an object in a tenant's file is.
enum TenantObjectKind {
  case protection(PolicyKind)
  case configuration

  /// By `@odata.type`, else by the folder; nil for a type that is not known.
  init?(_ type: String?, fallback: TenantObjectKind) {
    switch type?.lastNamePart {
    case nil: self = fallback
    case "iosManagedAppProtection": self = .protection(.ios)
    case "androidManagedAppProtection": self = .protection(.android)
    case "defaultManagedAppProtection": self = .protection(.default)
    case "targetedManagedAppConfiguration": self = .configuration
    default: return nil
    }
  }
}

extension JSONObject {
  /// What a device keeps: the object itself, or, as a dump has it, the one behind `<bundle id>.MAMPolicies`.
  var deviceDictionary: JSONObject? {
    if self["IntuneMAMPolicies"]?.objectValue != nil { return self }
    return members.lazy.compactMap(\.value.objectValue).first { $0["IntuneMAMPolicies"]?.objectValue != nil }
  }
}
