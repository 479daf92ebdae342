/// A list of policies or of app configurations in Microsoft Graph. The raw value is its name in a path.
package enum PolicyList: String, CaseIterable, Sendable {
  case ios = "iosManagedAppProtections"
  case android = "androidManagedAppProtections"
  case windows = "windowsManagedAppProtections"
  case `default` = "defaultManagedAppProtections"
  case configurations = "targetedManagedAppConfigurations"

  /// The type of all elements, `@odata.type`.
  package var type: String { "#microsoft.graph." + rawValue.dropLast() }

  /// Whether its elements are assigned to groups. A default policy is for everybody.
  package var isAssigned: Bool { self != .default }
}
