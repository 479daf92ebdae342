import Model

extension SettingDefinition {
  /// Who, what and when a policy is.
  static let description: [SettingDefinition] = [
    about(.id, .string),
    about(.displayName, .string),
    about(.description, .string),
    about(.createdDateTime),
    about(.lastModifiedDateTime),
    about(.roleScopeTagIds),
    about(.version, .string),
    about(.isAssigned, .bool),
    about(.targetedAppManagementLevels, .words(AppManagementLevel.self, joined: true), [.ios, .android]),
    about(.appGroupType, .word(AppGroupType.self), [.ios, .android]),
    about(.deployedAppCount, .integer(0...Int64(Int32.max))),
    about(.apps),
    about(.assignments),
    about(.deploymentSummary),
    about(.customSettings, .pairs, [.default]),
  ]
}
