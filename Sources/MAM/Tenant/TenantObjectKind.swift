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
  var deviceDictionary: JSONObject? {
    if self["IntuneMAMPolicies"]?.objectValue != nil { return self }
    return members.lazy.compactMap(\.value.objectValue).first { $0["IntuneMAMPolicies"]?.objectValue != nil }
  }
}
