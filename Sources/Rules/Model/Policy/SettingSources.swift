import JSON

/// Which policies set each setting of an account, and what the merge made of their values.
package struct SettingSourcesReport: Hashable, Sendable {
  /// By the names of the settings in Graph.
  package var settings: [SettingSources]

  package init(settings: [SettingSources]) {
    self.settings = settings
  }
}

extension SettingSourcesReport: Record {
  package static let fields = Fields(
    Self.init(settings:), Field("settings", \.settings, "The settings in force, sorted by name."))
}

/// The policies that set one setting.
package struct SettingSources: Hashable, Sendable {
  package var setting: String
  /// In order of the ids of the policies.
  package var sources: [SettingSource]

  package init(setting: String, sources: [SettingSource]) {
    self.setting = setting
    self.sources = sources
  }
}

extension SettingSources: Record {
  package static let fields = Fields(
    Self.init(setting:sources:),
    Field("setting", \.setting, "The name of the setting in Microsoft Graph."),
    Field("sources", \.sources, "The policies that set the setting, in order of their ids."))
}

/// The value that one policy gives a setting.
package struct SettingSource: Hashable, Sendable {
  package var policyId: String
  package var displayName: String
  /// As Microsoft Graph writes it.
  package var value: JSONValue
  package var wins: Bool

  package init(policyId: String, displayName: String, value: JSONValue, wins: Bool) {
    self.policyId = policyId
    self.displayName = displayName
    self.value = value
    self.wins = wins
  }
}

extension SettingSource: Record {
  package static let fields = Fields(
    Self.init(policyId:displayName:value:wins:),
    Field("policyId", \.policyId, "The id of the policy."),
    Field("displayName", \.displayName, "The name of the policy, for people."),
    Field("value", \.value, "The value in this policy, as Microsoft Graph writes it."),
    Field(
      "wins", \.wins,
      """
      Whether this value is in force. It is false for all policies if merging made another value, such as the common \
      part of two lists.
      """))
}
