import JSON
import Model
import Policy

/// The kind of an object in a tenant's file.
enum TenantObjectKind: Equatable {
  case protection(PolicyKind)
  case configuration
  /// A policy of Graph that protects no apps.
  case foreign(String)

  /// The kind of an object. `context` is its `@odata.context`, or that of the list that it is in. Throws if nothing says
  /// of which type the object is, because it may be a policy that an account depends on.
  init(of object: JSONObject, _ context: JSONValue?) throws(DocumentFault) {
    let name = "@odata.type"
    if let type = object[name], !type.isNull {
      guard let known = type.stringValue.flatMap(Self.init(type:)) else {
        let nearest = type.stringValue.flatMap(Self.nearestType).map { "; did you mean \($0)?" } ?? ""
        throw DocumentFault(name, "\(type.shortText) is not known\(nearest)")
      }
      self = known
      return
    }
    if let misspelt = object.names.first(where: { [name].nearest(to: $0) != nil }) {
      throw DocumentFault("\(misspelt) is not known; did you mean \(name)?")
    }
    guard let context, !context.isNull else {
      throw DocumentFault("the object has no \(name), such as \"#microsoft.graph.iosManagedAppProtection\"")
    }
    guard let known = context.stringValue.flatMap(Self.init(context:)) else {
      throw DocumentFault("the object has no \(name), and no known type is in @odata.context: \(context.shortText)")
    }
    self = known
  }

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

  /// The kind that an `@odata.context` names, for objects that have no type themselves; `nil` if it names none, or a type
  /// that is not known. A cast to a type comes after the collection:
  /// `managedAppPolicies/microsoft.graph.androidManagedAppProtection/$entity`.
  init?(context: String) {
    guard let last = ODataContext(context).lastSegment else { return nil }
    if last.contains(".") {
      self.init(type: last)
    } else if let kind = Self.collections[last] {
      self = kind
    } else {
      return nil
    }
  }

  private static let collections: [String: TenantObjectKind] = [
    "iosManagedAppProtections": .protection(.ios), "androidManagedAppProtections": .protection(.android),
    "windowsManagedAppProtections": .protection(.windows), "defaultManagedAppProtections": .protection(.default),
    "targetedManagedAppConfigurations": .configuration,
    "mdmWindowsInformationProtectionPolicies": .foreign("mdmWindowsInformationProtectionPolicy"),
    "windowsInformationProtectionPolicies": .foreign("windowsInformationProtectionPolicy"),
    "mobileAppConfigurations": .foreign("managedDeviceMobileAppConfiguration"),
  ]
}

/// Graph's `@odata.context`: `https://graph.microsoft.com/beta/$metadata#deviceAppManagement/` and what the answer has.
private struct ODataContext {
  /// The collection or the type of the objects; `nil` if the text has neither. Keys, selected and expanded members, which
  /// are in parentheses, are left out.
  let lastSegment: String?

  init(_ text: String) {
    guard let start = text.firstIndex(of: "#") else {
      lastSegment = nil
      return
    }
    let path = text[text.index(after: start)...]
    let collection = "Collection("
    if path.hasPrefix(collection), path.hasSuffix(")") {
      lastSegment = String(path.dropFirst(collection.count).dropLast())
      return
    }
    let segments = Self.withoutParentheses(path).split(separator: "/").filter { !$0.hasPrefix("$") }
    lastSegment = segments.last.map(String.init)
  }

  private static func withoutParentheses(_ path: Substring) -> String {
    var depth = 0
    return String(
      path.filter { character in
        if character == "(" { depth += 1 }
        defer { if character == ")" { depth -= 1 } }
        return depth == 0
      })
  }
}
