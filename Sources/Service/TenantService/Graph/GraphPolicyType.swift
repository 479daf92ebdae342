import Model
import Policy

/// What Graph's schema says about the policies of a list: the table of settings, as Graph types it.
struct GraphPolicyType: Sendable {
  struct Member: Sendable {
    let name: String
    let type: GraphMemberType
    /// Its type in a schema.
    let schemaType: String
    var isBeta: Bool { GraphPolicyType.betaMembers.contains(name) }
  }

  let list: PolicyList
  /// In the order of the table.
  let members: [Member]
  private let places: [String: Int]

  /// Members that v1.0 does not have.
  static let betaMembers: Set<String> = ["appGroupType", "targetedAppManagementLevels", "roleScopeTagIds", "settings"]

  static subscript(list: PolicyList) -> GraphPolicyType { types[list] ?? GraphPolicyType(list) }

  private static let types = Dictionary(
    uniqueKeysWithValues: PolicyList.allCases.map { ($0, GraphPolicyType($0)) })

  private init(_ list: PolicyList) {
    self.list = list
    var members = SettingDefinition.all.filter { list.has($0) }.map { Member($0, list.kind) }
    if list == .configurations {
      members.append(
        Member(
          name: "settings", type: .navigation, schemaType: "Collection(graph.deviceManagementConfigurationSetting)"))
    }
    self.members = members
    places = Dictionary(uniqueKeysWithValues: members.enumerated().map { ($1.name, $0) })
  }

  /// As OData names the type in an error.
  var errorName: String { "microsoft.management.services.api." + list.typeName }

  func member(_ name: String, isBeta: Bool) -> Member? {
    places[name].map { members[$0] }.flatMap { isBeta || !$0.isBeta ? $0 : nil }
  }

  func names(isBeta: Bool) -> [String] { members.filter { isBeta || !$0.isBeta }.map(\.name) }
}

/// The type of a member, with what a client may send.
enum GraphMemberType: Sendable {
  case flag
  case integer(ClosedRange<Int64>)
  case duration
  case text
  /// Numbers between dots or, for the patch level of a device, a date.
  case version(isDate: Bool)
  case word([String])
  /// Words in one text, with commas in between. A tenant's file may have some of them as a list.
  case flags([String], mayBeList: Bool = false)
  case words([String])
  case texts
  case pairs
  /// Graph sets it, and ignores what a client sends.
  case readOnly
  /// A list with a path of its own.
  case navigation
}

extension GraphPolicyType.Member {
  /// `kind` is `nil` for a configuration.
  fileprivate init(_ definition: SettingDefinition, _ kind: PolicyKind?) {
    name = definition.name.rawValue
    let words = definition.graphWords(in: kind)
    switch definition.name {
    case .id, .version: (type, schemaType) = (.readOnly, "Edm.String")
    case .isAssigned: (type, schemaType) = (.readOnly, "Edm.Boolean")
    case .deployedAppCount: (type, schemaType) = (.readOnly, "Edm.Int32")
    case .createdDateTime, .lastModifiedDateTime: (type, schemaType) = (.readOnly, "Edm.DateTimeOffset")
    case .apps: (type, schemaType) = (.navigation, "Collection(graph.managedMobileApp)")
    case .assignments: (type, schemaType) = (.navigation, "Collection(graph.targetedManagedAppPolicyAssignment)")
    case .deploymentSummary: (type, schemaType) = (.navigation, "graph.managedAppPolicyDeploymentSummary")
    case .roleScopeTagIds: (type, schemaType) = (.texts, "Collection(Edm.String)")
    case .maximumPinRetries: (type, schemaType) = (.integer(1...65535), "Edm.Int32")
    case .previousPinBlockCount: (type, schemaType) = (.integer(0...24), "Edm.Int32")
    case .mobileThreatDefenseRemediationAction:
      (type, schemaType) = (.word(words.filter { $0 != "warn" }), "graph.managedAppRemediationAction")
    case .allowedInboundDataTransferSources, .allowedOutboundDataTransferDestinations,
      .allowedOutboundClipboardSharingLevel:
      let found = Self.type(of: definition, words)
      // Windows has enumerations of its own.
      (type, schemaType) = (
        found.0, kind == .windows ? "graph.windowsM" + found.1.dropFirst("graph.m".utf8.count) : found.1
      )
    default: (type, schemaType) = Self.type(of: definition, words)
    }
  }

  private static func type(of definition: SettingDefinition, _ words: [String]) -> (GraphMemberType, String) {
    switch definition.type {
    case .bool: (.flag, "Edm.Boolean")
    case .integer(let range): (.integer(range), "Edm.Int32")
    case .duration: (.duration, "Edm.Duration")
    case .string, .strings(joinedBy: .some, _), .opaque: (.text, "Edm.String")
    case .version: (.version(isDate: definition.name.rawValue.hasSuffix("PatchVersion")), "Edm.String")
    case .word(let type): (.word(words), "graph." + type.graphName)
    case .words(let type, joined: true): (.flags(words), "graph." + type.graphName)
    case .words(let type, _) where type == WindowsTransferLocation.self:
      (.flags(words, mayBeList: true), "graph." + type.graphName)
    case .words(let type, joined: false): (.words(words), "Collection(graph.\(type.graphName))")
    case .strings(joinedBy: nil, _): (.texts, "Collection(Edm.String)")
    case .pairs: (.pairs, "Collection(graph.keyValuePair)")
    }
  }
}

extension PolicyList {
  /// `nil` for configurations.
  var kind: PolicyKind? {
    switch self {
    case .ios: .ios
    case .android: .android
    case .windows: .windows
    case .default: .default
    case .configurations: nil
    }
  }

  /// `iosManagedAppProtection`.
  var typeName: String { String(rawValue.dropLast()) }

  /// What its ids begin with.
  var idPrefix: String {
    switch self {
    case .ios, .android: "T_"
    case .windows: "I_"
    case .default: "G_"
    case .configurations: "A_"
    }
  }

  /// Whether policies and configurations of the list name the apps that they are for by a group of apps.
  var hasAppGroup: Bool { isAssigned && self != .windows }

  /// Settings that Graph gives to iOS or Android alone, although mambridge reads them in a default policy, too.
  private static let neverDefault: Set<SettingName> = [
    .appActionIfDeveloperOptionsEnabled, .appActionIfSamsungKnoxAttestationRequired, .approvedKeyboards,
    .exemptedUniversalLinks, .genmojiConfigurationState, .keyboardsRestricted, .managedUniversalLinks,
    .screenCaptureConfigurationState, .writingToolsConfigurationState, .assignments, .isAssigned,
  ]

  fileprivate func has(_ definition: SettingDefinition) -> Bool {
    switch (self, definition.name) {
    // The one setting that Graph has nowhere.
    case (_, .dictationBlocked): false
    case (.default, let name) where Self.neverDefault.contains(name): false
    case (.configurations, _): definition.role.isDescription
    case (_, _): kind.map { definition.kinds.contains($0) } ?? false
    }
  }
}
