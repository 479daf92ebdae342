import JSON

/// The whole policy of an account, for people and tools.
package struct PolicyReport: Hashable, Sendable {
  package var managed: Bool
  package var account: Account
  package var properties: PolicyProperties
  /// By their names in Graph.
  package var settings: [String: PolicySettingReport]
  /// In order of their ids.
  package var policies: [AppliedPolicy]
  /// Whether the report is about a view that the lock-down policy applies to.
  package var lockDown: Bool
  /// The accounts of a view; `nil` for a single account.
  package var accounts: [Account]?

  package init(
    managed: Bool, account: Account, properties: PolicyProperties, settings: [String: PolicySettingReport],
    policies: [AppliedPolicy], lockDown: Bool = false, accounts: [Account]? = nil
  ) {
    self.managed = managed
    self.account = account
    self.properties = properties
    self.settings = settings
    self.policies = policies
    self.lockDown = lockDown
    self.accounts = accounts
  }
}

extension PolicyReport: Record {
  package static let fields = Fields(
    Self.init(managed:accountId:identity:properties:settings:policies:lockDown:accounts:),
    Field("managed", \.managed, "Whether a policy is in force."),
    Field("accountId", \.account.accountId, "The Entra object id; null if unknown, \"\" for no user."),
    Field("identity", \.account.identity, "The user principal name; null if unknown, \"\" for no user."),
    Field("properties", \.properties, "The properties of the policy."),
    Field(
      "settings", \.settings,
      """
      The settings in force, by their names in Microsoft Graph. Entries that only describe a policy come from the \
      first policy that has them.
      """),
    Field("policies", \.policies, "The policies that were merged, in order of their ids."),
    Field(
      "lockDown", \.lockDown,
      "Whether the policy is the lock-down policy of a view of several accounts, which has no settings."),
    Field("accounts", \.accounts, "The accounts of a view of several accounts; null for a single account."))

  private init(
    managed: Bool, accountId: String?, identity: String?, properties: PolicyProperties,
    settings: [String: PolicySettingReport], policies: [AppliedPolicy], lockDown: Bool, accounts: [Account]?
  ) {
    self.init(
      managed: managed, account: Account(accountId: accountId, identity: identity), properties: properties,
      settings: settings, policies: policies, lockDown: lockDown, accounts: accounts)
  }
}

/// A policy that contributes to what is in force.
package struct AppliedPolicy: Hashable, Sendable {
  package var id: String
  package var displayName: String

  package init(id: String, displayName: String) {
    self.id = id
    self.displayName = displayName
  }
}

extension AppliedPolicy: Record {
  package static let fields = Fields(
    Self.init(id:displayName:),
    Field("id", \.id, "The id of the policy."),
    Field("displayName", \.displayName, "The name of the policy, for people."))
}

/// A setting in force, as Graph and as the SDK write it, and where it comes from.
package struct PolicySettingReport: Hashable, Sendable {
  /// The value as Microsoft Graph writes it.
  package var value: JSONValue
  /// `nil` if the SDK has no name for the setting.
  package var sdkName: String?
  package var sdkValue: JSONValue
  package var policyId: String

  package init(value: JSONValue, sdkName: String?, sdkValue: JSONValue, policyId: String) {
    self.value = value
    self.sdkName = sdkName
    self.sdkValue = sdkValue
    self.policyId = policyId
  }
}

extension PolicySettingReport: Record {
  package static let schemaName = "PolicySetting"
  package static let fields = Fields(
    Self.init(value:sdkName:sdkValue:policyId:),
    Field("value", \.value, "The value as Microsoft Graph writes it."),
    Field("sdkName", \.sdkName, "The name by which the SDK delivers and logs the setting; null if it has none."),
    Field("sdkValue", \.sdkValue, "The value in the SDK's form and with its numbers; null if the SDK has none."),
    Field(
      "policyId", \.policyId,
      "The id of the policy that the value comes from; for a merged value, the first policy that sets it."))
}
