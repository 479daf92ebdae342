import JSON
import Model

extension PolicyDocument {
  /// From a protection object of Graph. `fallbackID` is the id of one that has none.
  package init(
    graph object: JSONObject, kind: PolicyKind, source: String, fallbackID: String, warnings: inout [PolicyWarning]
  ) {
    let imported = PolicyImport(object, source: source)
    warnings += imported.warnings
    let about = imported.about
    self.init(
      id: about[.id]?.stringValue ?? fallbackID, displayName: about[.displayName]?.stringValue,
      version: about[.version]?.stringValue, kind: kind, source: source,
      targeting: PolicyTargeting(graph: object, source: source, warnings: &warnings), settings: imported.settings,
      about: about.filter { !Self.extracted.contains($0.key) },
      customSettings: about[.customSettings]?.pairsValue ?? [])
  }

  /// From the dictionary that a device keeps: `{"IntuneMAMPolicies": {…}, "IntuneMAMPolicyVersion": …}`.
  package init(
    device object: JSONObject, source: String, fallbackID: String, warnings: inout [PolicyWarning]
  ) {
    let members = object["IntuneMAMPolicies"]?.objectValue ?? [:]
    let imported = PolicyImport(members, source: source)
    warnings += imported.warnings
    self.init(
      id: fallbackID, displayName: imported.about[.displayName]?.stringValue,
      version: object["IntuneMAMPolicyVersion"]?.stringValue, kind: members.isOfAndroid ? .android : .ios,
      source: source,
      targeting: PolicyTargeting(needsAssignment: true), settings: imported.settings, about: [:])
  }

  /// Members that have a place of their own in a document.
  private static let extracted: Set<SettingName> = [.id, .displayName, .version, .customSettings]
}

extension JSONObject {
  /// Devices with Android alone write a version of their template.
  fileprivate var isOfAndroid: Bool { names.contains { $0.lowercasedASCII == "policytemplateversion" } }
}
