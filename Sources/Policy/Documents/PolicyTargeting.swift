import JSON
import Model

/// Who gets a policy, according to the policy. An assignment in tenant.json replaces the groups and apps.
package struct PolicyTargeting: Hashable, Sendable {
  /// Nil for everybody, empty for nobody.
  package var assignments: [GroupTarget]?
  /// Identifiers of apps; nil if the policy does not list apps.
  package var apps: [String]?
  package var appGroupType: AppGroupType?
  /// Empty if the management of the device does not matter.
  package var managementLevels: [AppManagementLevel]
  /// Whether the policy applies to nobody until tenant.json assigns it.
  package var needsAssignment: Bool

  package init(
    assignments: [GroupTarget]? = nil, apps: [String]? = nil, appGroupType: AppGroupType? = nil,
    managementLevels: [AppManagementLevel] = [], needsAssignment: Bool = false
  ) {
    self.assignments = assignments
    self.apps = apps
    self.appGroupType = appGroupType
    self.managementLevels = managementLevels
    self.needsAssignment = needsAssignment
  }
}

/// One assignment of a policy to users.
package enum GroupTarget: Hashable, Sendable {
  case everybody
  /// A group's name or id.
  case group(String)
  case exclusionGroup(String)
}

extension PolicyTargeting {
  /// From the members `apps`, `assignments`, `appGroupType` and `targetedAppManagementLevels` of a Graph object.
  init(graph object: JSONObject, source: String, warnings: inout [PolicyWarning]) {
    var reader = TargetingReader(object: object, source: source)
    self.init(
      assignments: reader.assignments(), apps: reader.apps(), appGroupType: reader.appGroupType(),
      managementLevels: reader.managementLevels())
    warnings += reader.warnings
  }
}

private struct TargetingReader {
  let object: JSONObject
  let source: String
  package var warnings: [PolicyWarning] = []

  mutating func assignments() -> [GroupTarget]? {
    elements("assignments")?.compactMap { assignment in
      guard let target = assignment["target"], let type = target["@odata.type"]?.stringValue else {
        return misfit("assignments", "\(assignment.shortText) has no target with an @odata.type")
      }
      return group(type.lastNamePart, target)
        ?? misfit("assignments", "\(assignment.shortText) has a target of an unknown type")
    }
  }

  private func group(_ type: String, _ target: JSONValue) -> GroupTarget? {
    switch type {
    case "allLicensedUsersAssignmentTarget", "allDevicesAssignmentTarget": .everybody
    case "groupAssignmentTarget": target["groupId"]?.stringValue.map(GroupTarget.group)
    case "exclusionGroupAssignmentTarget": target["groupId"]?.stringValue.map(GroupTarget.exclusionGroup)
    default: nil
    }
  }

  mutating func apps() -> [String]? {
    elements("apps")?.compactMap { app in
      let identifier = app["mobileAppIdentifier"]
      let names = ["bundleId", "packageId", "windowsAppId"].compactMap { identifier?[$0]?.stringValue }
      return names.first ?? misfit("apps", "\(app.shortText) does not name an app")
    }
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
  private mutating func elements(_ name: String) -> [JSONValue]? {
    guard let value = object[name], !value.isNull else { return nil }
    return value.arrayValue ?? misfit(name, "must be a list, not \(value.shortText)")
  }

  private mutating func misfit<Value>(_ member: String, _ text: String) -> Value? {
    warnings.append(PolicyWarning(source, member, text))
    return nil
  }
}

extension String {
  /// `iosManagedAppProtection` of `#microsoft.graph.iosManagedAppProtection`.
  package var lastNamePart: String { split(separator: ".").last.map(String.init) ?? self }
}
