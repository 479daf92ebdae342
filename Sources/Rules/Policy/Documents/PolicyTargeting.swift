import JSON
import Model

/// Who gets a policy, according to the policy. An assignment in tenant.json replaces the groups and apps.
package struct PolicyTargeting: Hashable, Sendable {
  /// Nil for everybody, empty for nobody.
  package var assignments: [PolicyAssignment]?
  /// Identifiers of apps; nil if the policy does not list apps.
  package var apps: [String]?
  package var appGroupType: AppGroupType?
  /// Empty if the management of the device does not matter.
  package var managementLevels: [AppManagementLevel]
  /// Whether the policy applies to nobody until tenant.json assigns it.
  package var needsAssignment: Bool

  package init(
    assignments: [PolicyAssignment]? = nil, apps: [String]? = nil, appGroupType: AppGroupType? = nil,
    managementLevels: [AppManagementLevel] = [], needsAssignment: Bool = false
  ) {
    self.assignments = assignments
    self.apps = apps
    self.appGroupType = appGroupType
    self.managementLevels = managementLevels
    self.needsAssignment = needsAssignment
  }
}

/// One assignment of a policy: to users, and to those of their devices that a filter lets through.
package struct PolicyAssignment: Hashable, Sendable {
  package var target: GroupTarget
  /// `nil` for every device.
  package var filter: FilterReference?

  package init(_ target: GroupTarget, filter: FilterReference? = nil) {
    self.target = target
    self.filter = filter
  }
}

/// The filter of an assignment.
package struct FilterReference: Hashable, Sendable {
  package enum Mode: String, Sendable {
    case include, exclude
    /// The assignment names a filter, but does not say what it does.
    case unknown
  }

  /// Empty if the assignment does not name the filter.
  package var id: String
  package var mode: Mode

  package init(id: String, mode: Mode) {
    self.id = id
    self.mode = mode
  }
}

/// The users of an assignment.
package enum GroupTarget: Hashable, Sendable {
  case everybody
  /// A group's name or id.
  case group(String)
  case exclusionGroup(String)
}

extension PolicyTargeting {
  /// From the members `apps`, `assignments`, `appGroupType` and `targetedAppManagementLevels` of a Graph object. An
  /// assignment to a target of a type that is not known is left out.
  package init(graph object: JSONObject, source: String, warnings: inout [PolicyWarning]) throws(DocumentFault) {
    var reader = TargetingReader(object: object, source: source)
    self.init(
      assignments: try reader.assignments(), apps: try reader.apps(), appGroupType: reader.appGroupType(),
      managementLevels: reader.managementLevels())
    warnings += reader.warnings
  }
}

private struct TargetingReader {
  let object: JSONObject
  let source: String
  package var warnings: [PolicyWarning] = []

  mutating func assignments() throws(DocumentFault) -> [PolicyAssignment]? {
    guard let elements = try elements("assignments") else { return nil }
    var targets: [PolicyAssignment] = []
    for assignment in elements {
      guard let target = assignment["target"], let type = target["@odata.type"]?.stringValue else {
        throw DocumentFault("assignments", "\(assignment.shortText) has no target with an @odata.type")
      }
      if let group = try group(type.lastNamePart, target) {
        targets.append(PolicyAssignment(group, filter: FilterReference(target: target)))
      } else {
        warn("assignments", "\(assignment.shortText) has a target of an unknown type")
      }
    }
    return targets
  }

  private func group(_ type: String, _ target: JSONValue) throws(DocumentFault) -> GroupTarget? {
    switch type.lowercasedASCII {
    case "alllicensedusersassignmenttarget", "alldevicesassignmenttarget": .everybody
    case "groupassignmenttarget": .group(try groupId(of: target))
    case "exclusiongroupassignmenttarget": .exclusionGroup(try groupId(of: target))
    default: nil
    }
  }

  private func groupId(of target: JSONValue) throws(DocumentFault) -> String {
    guard let id = target["groupId"]?.stringValue, !id.isEmpty else {
      throw DocumentFault("assignments", "\(target.shortText) has no groupId")
    }
    return id
  }

  private static let appNames = ["bundleId", "packageId", "windowsAppId"]

  mutating func apps() throws(DocumentFault) -> [String]? {
    guard let elements = try elements("apps") else { return nil }
    var apps: [String] = []
    for app in elements {
      guard let identifier = app["mobileAppIdentifier"]?.objectValue else {
        throw DocumentFault("apps", "\(app.shortText) has no mobileAppIdentifier")
      }
      guard let name = Self.appNames.lazy.compactMap({ identifier[$0]?.stringValue.nonEmpty }).first else {
        throw DocumentFault(
          "apps", "\(app.shortText) does not name an app; one of \(Self.appNames.joined(separator: ", ")) does")
      }
      apps.append(name)
    }
    return apps
  }

  func appGroupType() -> AppGroupType? {
    read(.appGroupType)?.word()
  }

  func managementLevels() -> [AppManagementLevel] {
    (read(.targetedAppManagementLevels)?.words(AppManagementLevel.self) ?? []).filter { $0 != .unspecified }
  }

  /// Does not warn of a value that does not fit, because `PolicyImport` does.
  private func read(_ name: SettingName) -> SettingValue? {
    guard let value = object[name.rawValue] else { return nil }
    return name.definition.read(graph: value).value
  }

  /// Nil if the member is absent or null.
  private func elements(_ name: String) throws(DocumentFault) -> [JSONValue]? {
    guard let value = object[name], !value.isNull else { return nil }
    guard let elements = value.arrayValue else {
      throw DocumentFault(name, "must be a list, not \(value.shortText)")
    }
    return elements
  }

  private mutating func warn(_ member: String, _ text: String) {
    warnings.append(PolicyWarning(source, member, text))
  }
}

extension FilterReference {
  private static let member = "deviceAndAppManagementAssignmentFilter"
  /// By Graph's names and numbers.
  private static let modes: [String: Mode?] = [
    "none": nil, "0": nil, "include": .include, "1": .include, "exclude": .exclude, "2": .exclude,
  ]

  /// The filter of an assignment's target; `nil` if there is none.
  fileprivate init?(target: JSONValue) {
    let id = target[Self.member + "Id"]?.stringValue ?? ""
    let names = !id.allSatisfy { "0-".contains($0) }
    let mode: Mode?
    switch target[Self.member + "Type"] ?? .null {
    case .null: mode = names ? .unknown : nil
    case .string(let word): mode = Self.modes[word.lowercasedASCII] ?? .unknown
    case .integer(let number): mode = Self.modes[String(number)] ?? .unknown
    default: mode = .unknown
    }
    guard let mode else { return nil }
    self.init(id: names ? id : "", mode: mode)
  }
}

extension String {
  /// `iosManagedAppProtection` of `#microsoft.graph.iosManagedAppProtection`.
  package var lastNamePart: String { split(separator: ".").last.map(String.init) ?? self }
}
