import JSON

/// An account's policy as a whole, for people and tools.
public struct PolicyReport: Hashable, Sendable {
  public var managed: Bool
  public var account: Account
  public var properties: PolicyProperties
  /// By Graph's names.
  public var settings: [String: PolicySettingReport]
  /// In the order of their ids.
  public var policies: [AppliedPolicy]

  public init(
    managed: Bool, account: Account, properties: PolicyProperties, settings: [String: PolicySettingReport],
    policies: [AppliedPolicy]
  ) {
    self.managed = managed
    self.account = account
    self.properties = properties
    self.settings = settings
    self.policies = policies
  }
}

extension PolicyReport: Record {
  package static let schemaName: String? = "PolicyReport"
  package static let fields = Fields(
    Self.init(managed:accountId:identity:properties:settings:policies:),
    Field("managed", \.managed, "Whether a policy is in force."),
    Field("accountId", \.account.accountId, "The Entra object id; null when it is not known, \"\" for no user."),
    Field("identity", \.account.identity, "The user principal name; null when it is not known, \"\" for no user."),
    Field("properties", \.properties, "What the properties of the policy answer."),
    Field(
      "settings", \.settings,
      "The settings in force, and what describes the policies, of the first that has it; by Microsoft Graph's names."),
    Field("policies", \.policies, "The policies that were merged, in the order of their ids."))

  private init(
    managed: Bool, accountId: String?, identity: String?, properties: PolicyProperties,
    settings: [String: PolicySettingReport], policies: [AppliedPolicy]
  ) {
    self.init(
      managed: managed, account: Account(accountId: accountId, identity: identity), properties: properties,
      settings: settings, policies: policies)
  }
}

/// A policy that has part in what is in force.
public struct AppliedPolicy: Hashable, Sendable {
  public var id: String
  public var displayName: String

  public init(id: String, displayName: String) {
    self.id = id
    self.displayName = displayName
  }
}

extension AppliedPolicy: Record {
  package static let schemaName: String? = "AppliedPolicy"
  package static let fields = Fields(
    Self.init(id:displayName:),
    Field("id", \.id, "The id of the policy."),
    Field("displayName", \.displayName, "Its name, for people."))
}

/// A setting in force, in both vocabularies, and where it comes from.
public struct PolicySettingReport: Hashable, Sendable {
  /// As Microsoft Graph writes it.
  public var value: JSONValue
  /// Nil where the SDK has no name for it.
  public var sdkName: String?
  public var sdkValue: JSONValue
  public var policyId: String

  public init(value: JSONValue, sdkName: String?, sdkValue: JSONValue, policyId: String) {
    self.value = value
    self.sdkName = sdkName
    self.sdkValue = sdkValue
    self.policyId = policyId
  }
}

extension PolicySettingReport: Record {
  package static let schemaName: String? = "PolicySetting"
  package static let fields = Fields(
    Self.init(value:sdkName:sdkValue:policyId:),
    Field("value", \.value, "As Microsoft Graph writes it."),
    Field("sdkName", \.sdkName, "The name that the SDK delivers and logs; null where it has none."),
    Field("sdkValue", \.sdkValue, "In the SDK's form and with its numbers; null where it has none."),
    Field("policyId", \.policyId, "The policy it comes from; of a merged value the first that sets it."))
}
