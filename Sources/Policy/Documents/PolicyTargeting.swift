import Model

/// For whom a policy says it is. An assignment in tenant.json replaces groups and apps.
package struct PolicyTargeting: Hashable, Sendable {
  /// Nil: everybody. Empty: nobody.
  package var assignments: [GroupTarget]?
  /// Identifiers of apps; nil when the policy does not say.
  package var apps: [String]?
  package var appGroupType: AppGroupType?
  /// Empty: however the device is managed.
  package var managementLevels: [AppManagementLevel]
  /// Whether it is for nobody until tenant.json assigns it.
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
