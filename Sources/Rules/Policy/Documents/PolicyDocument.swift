import JSON
import Model

/// One protection policy with typed settings.
package struct PolicyDocument: Hashable, Sendable {
  package var id: String
  package var displayName: String
  /// Changes whenever an administrator saves the policy; nil if the source has no version.
  package var version: String?
  package var kind: PolicyKind
  /// The file that the policy was read from, relative to the tenant's folder.
  package var source: String
  package var targeting: PolicyTargeting
  /// Only the settings that have a value.
  package var settings: [SettingName: SettingValue]
  /// Members that only describe the policy, such as `createdDateTime`, unchanged.
  package var about: [SettingName: SettingValue]
  /// The app configuration in a default policy.
  package var customSettings: [KeyValuePair]
  /// A clause about the assignment filter that the policy applies with or in spite of; nil if there is none.
  package var filterNote: String?
  /// The members that are not known and may restrict.
  package var unknown: JSONObject = [:]
  /// Whether accounts with this policy are blocked while `unknown` has members.
  package var blocksUnknown = false

  package init(
    id: String, displayName: String? = nil, version: String? = nil, kind: PolicyKind, source: String = "",
    targeting: PolicyTargeting = PolicyTargeting(), settings: [SettingName: SettingValue] = [:],
    about: [SettingName: SettingValue] = [:], customSettings: [KeyValuePair] = []
  ) {
    self.id = id
    self.displayName = displayName ?? id
    self.version = version
    self.kind = kind
    self.source = source
    self.targeting = targeting
    self.settings = settings
    self.about = about
    self.customSettings = customSettings
  }

  /// All members that describe the policy.
  var description: [SettingName: SettingValue] {
    var description = about
    description[.id] = .string(id)
    description[.displayName] = .string(displayName)
    description[.version] = version.map(SettingValue.string)
    if !customSettings.isEmpty { description[.customSettings] = .pairs(customSettings) }
    return description
  }

  /// Whether the policy is for a platform. A default policy is for phones; a test policy, which comes from no file, is
  /// for every platform.
  package func counts(on platform: DevicePlatform) -> Bool {
    kind.platforms.contains(platform) || kind == .default && source.isEmpty
  }
}

extension PolicyDocument {
  /// Stand for the files of policies that an answer of a source outside of this process contains: the members of the
  /// answer, and what earlier versions stored.
  package static let answerFiles: Set = ["policies", "hiddenDefaults", "policies/answer.json"]

  /// From Graph's protection object. `fallbackID` is the id if the object has none.
  package init(
    graph object: JSONObject, kind: PolicyKind, source: String, fallbackID: String, warnings: inout [PolicyWarning]
  ) throws(DocumentFault) {
    let imported = PolicyImport(object, source: source, kind: kind)
    try imported.check(as: kind)
    let targeting = try PolicyTargeting(graph: object, source: source, warnings: &warnings)
    warnings += imported.warnings
    self.init(imported, kind: kind, source: source, fallbackID: fallbackID, targeting: targeting)
    filterNote = object[FilteredPolicy.noteName]?.stringValue
  }

  package init(
    _ imported: PolicyImport, kind: PolicyKind, source: String, fallbackID: String, targeting: PolicyTargeting
  ) {
    let about = imported.about
    self.init(
      id: about[.id]?.stringValue ?? fallbackID, displayName: about[.displayName]?.stringValue,
      version: about[.version]?.stringValue, kind: kind, source: source, targeting: targeting,
      settings: imported.settings,
      about: about.filter { !Self.extracted.contains($0.key) },
      customSettings: about[.customSettings]?.pairsValue ?? [])
    unknown = imported.unknown
  }

  /// From the dictionary that a device stores: `{"IntuneMAMPolicies": {…}, "IntuneMAMPolicyVersion": …}`.
  package init(
    device object: JSONObject, source: String, fallbackID: String, warnings: inout [PolicyWarning]
  ) throws(DocumentFault) {
    let members = object["IntuneMAMPolicies"]?.objectValue ?? [:]
    let kind: PolicyKind = members.isOfAndroid ? .android : .ios
    let imported = PolicyImport(members, source: source, kind: kind)
    try imported.checkDevice()
    warnings += imported.warnings
    self.init(
      id: fallbackID, displayName: imported.about[.displayName]?.stringValue,
      version: object["IntuneMAMPolicyVersion"]?.stringValue, kind: kind, source: source,
      targeting: PolicyTargeting(needsAssignment: true), settings: imported.settings, about: [:])
    unknown = imported.unknown
  }

  /// Members that are properties of a document.
  private static let extracted: Set<SettingName> = [.id, .displayName, .version, .customSettings]
}

extension JSONObject {
  /// Only Android devices write a version of their template.
  package var isOfAndroid: Bool { names.contains { $0.lowercasedASCII == "policytemplateversion" } }
}

/// A text in the store that mambridge did not write.
package struct StoredTextError: Error, Equatable {
  package let reason: String

  package init(reason: String) {
    self.reason = reason
  }
}

extension PolicyDocument {
  /// JSON text for the store.
  package var encoded: String {
    var object: JSONObject = [
      "id": .string(id), "displayName": .string(displayName), "version": version.map(JSONValue.string) ?? .null,
      "kind": .string(kind.rawValue), "source": .string(source), "targeting": targeting.jsonValue,
      "settings": .object(JSONObject(graph: settings)), "about": .object(JSONObject(graph: about)),
      "customSettings": Self.write(customSettings),
      "unknown": .object(unknown), "blocksUnknown": .bool(blocksUnknown),
    ]
    if let filterNote { object["filterNote"] = .string(filterNote) }
    return JSONValue.object(object).jsonText
  }

  package init(stored text: String) throws(StoredTextError) {
    let value: JSONValue
    do { value = try JSONValue(parsing: text) } catch { throw StoredTextError(reason: error.description) }
    guard let id = value["id"]?.stringValue, let displayName = value["displayName"]?.stringValue,
      let kind = value["kind"]?.stringValue.flatMap(PolicyKind.init(rawValue:)),
      let source = value["source"]?.stringValue, let targeting = value["targeting"].flatMap(PolicyTargeting.init(json:))
    else { throw StoredTextError(reason: "not a policy document") }
    self.init(
      id: id, displayName: displayName, version: value["version"]?.stringValue, kind: kind, source: source,
      targeting: targeting, settings: try Self.read(value["settings"]), about: try Self.read(value["about"]),
      customSettings: value["customSettings"].flatMap(KeyValuePair.list(json:)) ?? [])
    filterNote = value["filterNote"]?.stringValue
    unknown = value["unknown"]?.objectValue ?? [:]
    blocksUnknown = value["blocksUnknown"]?.boolValue ?? false
  }

  private static func write(_ pairs: [KeyValuePair]) -> JSONValue {
    .array(pairs.map { ["name": .string($0.name), "value": .string($0.value)] })
  }

  private static func read(_ value: JSONValue?) throws(StoredTextError) -> [SettingName: SettingValue] {
    var settings: [SettingName: SettingValue] = [:]
    for member in value?.objectValue?.members ?? [] {
      guard let definition = SettingDefinition.named(byGraph: member.name) else { continue }
      let reading = definition.read(graph: member.value)
      if let complaint = reading.complaint { throw StoredTextError(reason: "\(member.name) \(complaint)") }
      settings[definition.name] = reading.value
    }
    return settings
  }
}

extension KeyValuePair {
  package static func list(json value: JSONValue) -> [KeyValuePair]? {
    value.arrayValue?.compactMap { pair in
      guard let name = pair["name"]?.stringValue, let value = pair["value"]?.stringValue else { return nil }
      return KeyValuePair(name: name, value: value)
    }
  }
}

extension PolicyTargeting {
  package var jsonValue: JSONValue {
    [
      "assignments": assignments.map { .array($0.map(\.jsonValue)) } ?? .null,
      "apps": apps.map { .array($0.map(JSONValue.string)) } ?? .null,
      "appGroupType": appGroupType.map { .string($0.rawValue) } ?? .null,
      "managementLevels": .array(managementLevels.map { .string($0.rawValue) }),
      "needsAssignment": .bool(needsAssignment),
    ]
  }

  package init?(json value: JSONValue) {
    guard value.objectValue != nil else { return nil }
    self.init(
      assignments: value["assignments"]?.arrayValue?.compactMap(PolicyAssignment.init(json:)),
      apps: value["apps"]?.arrayValue?.compactMap(\.stringValue),
      appGroupType: value["appGroupType"]?.stringValue.flatMap(AppGroupType.init(rawValue:)),
      managementLevels: (value["managementLevels"]?.arrayValue ?? []).compactMap { level in
        level.stringValue.flatMap(AppManagementLevel.init(rawValue:))
      },
      needsAssignment: value["needsAssignment"]?.boolValue ?? false)
  }
}

extension PolicyAssignment {
  /// A target alone for an assignment without a filter, as versions before filters wrote it.
  fileprivate var jsonValue: JSONValue {
    guard let filter else { return target.jsonValue }
    return ["target": target.jsonValue, "filter": .string(filter.id), "mode": .string(filter.mode.rawValue)]
  }

  fileprivate init?(json value: JSONValue) {
    guard let target = GroupTarget(json: value["target"] ?? value) else { return nil }
    self.init(target)
    guard let id = value["filter"]?.stringValue else { return }
    filter = FilterReference(
      id: id, mode: value["mode"]?.stringValue.flatMap(FilterReference.Mode.init(rawValue:)) ?? .unknown)
  }
}

extension GroupTarget {
  fileprivate var jsonValue: JSONValue {
    switch self {
    case .everybody: "everybody"
    case .group(let name): ["group": .string(name)]
    case .exclusionGroup(let name): ["exclusionGroup": .string(name)]
    }
  }

  fileprivate init?(json value: JSONValue) {
    if value == "everybody" {
      self = .everybody
    } else if let name = value["group"]?.stringValue {
      self = .group(name)
    } else if let name = value["exclusionGroup"]?.stringValue {
      self = .exclusionGroup(name)
    } else {
      return nil
    }
  }
}
