import JSON
import Model

/// One app configuration: names and values for apps and users.
package struct ConfigurationDocument: Hashable, Sendable {
  package var id: String
  package var displayName: String
  package var version: String?
  /// The file it was read from, relative to the tenant's folder.
  package var source: String
  package var targeting: PolicyTargeting
  package var customSettings: [KeyValuePair]

  package init(
    id: String, displayName: String? = nil, version: String? = nil, source: String = "",
    targeting: PolicyTargeting = PolicyTargeting(), customSettings: [KeyValuePair] = []
  ) {
    self.id = id
    self.displayName = displayName ?? id
    self.version = version
    self.source = source
    self.targeting = targeting
    self.customSettings = customSettings
  }

  /// From a targetedManagedAppConfiguration object of Graph.
  package init(graph object: JSONObject, source: String, fallbackID: String, warnings: inout [PolicyWarning]) {
    for name in object.names where !Self.known.contains(name) && !name.contains("@odata.") && !name.hasPrefix("#") {
      warnings.append(PolicyWarning(source, name, "is not known and ignored"))
    }
    let reading = SettingDefinition.of(.customSettings)?.read(graph: object["customSettings"] ?? .null)
    if let complaint = reading?.complaint { warnings.append(PolicyWarning(source, "customSettings", complaint)) }
    self.init(
      id: object["id"]?.stringValue.nonEmpty ?? fallbackID, displayName: object["displayName"]?.stringValue,
      version: object["version"]?.stringValue, source: source,
      targeting: PolicyTargeting(graph: object, source: source, warnings: &warnings),
      customSettings: reading?.value?.pairsValue ?? [])
  }

  private static let known: Set<String> = [
    "id", "displayName", "description", "version", "createdDateTime", "lastModifiedDateTime", "roleScopeTagIds",
    "customSettings", "settings", "deployedAppCount", "isAssigned", "apps", "assignments", "deploymentSummary",
    "appGroupType", "targetedAppManagementLevels",
  ]
}

extension String? {
  package var nonEmpty: String? { self?.isEmpty == false ? self : nil }
}
