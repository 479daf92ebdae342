import JSON
import Model

/// One app configuration with its values and the apps and users that it is for.
package struct ConfigurationDocument: Hashable, Sendable {
  package var id: String
  package var displayName: String
  package var version: String?
  /// The file that the configuration was read from, relative to the tenant's folder.
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

  /// From Graph's targetedManagedAppConfiguration object.
  package init(
    graph object: JSONObject, source: String, fallbackID: String, warnings: inout [PolicyWarning]
  ) throws(DocumentFault) {
    let imported = PolicyImport(object, source: source)
    try imported.checkConfiguration()
    let targeting = try PolicyTargeting(graph: object, source: source, warnings: &warnings)
    warnings += imported.warnings
    let about = imported.about
    self.init(
      id: about[.id]?.stringValue ?? fallbackID, displayName: about[.displayName]?.stringValue,
      version: about[.version]?.stringValue, source: source, targeting: targeting,
      customSettings: about[.customSettings]?.pairsValue ?? [])
  }
}

extension String? {
  package var nonEmpty: String? { self?.isEmpty == false ? self : nil }
}
