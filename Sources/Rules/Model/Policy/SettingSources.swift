import JSON

/// Which policies set each setting of an account, and what the merge made of their values.
public struct SettingSourcesReport: Hashable, Sendable {
  /// By the names of the settings in Graph.
  public var settings: [SettingSources]

  public init(settings: [SettingSources]) {
    self.settings = settings
  }
}

extension SettingSourcesReport: Record {
  package static let fields = Fields(
    Self.init(settings:), Field("settings", \.settings, "The settings in force, sorted by name."))
}

/// The policies that set one setting.
public struct SettingSources: Hashable, Sendable {
  public var setting: String
  /// In order of the ids of the policies.
  public var sources: [SettingSource]

  public init(setting: String, sources: [SettingSource]) {
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
public struct SettingSource: Hashable, Sendable {
  public var policyId: String
  public var displayName: String
  /// As Microsoft Graph writes it.
  public var value: JSONValue
  public var wins: Bool

  public init(policyId: String, displayName: String, value: JSONValue, wins: Bool) {
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
