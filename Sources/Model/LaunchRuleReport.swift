import JSON

/// How one rule of a policy came out.
public enum LaunchOutcome: String, CaseIterable, Sendable, NamedValue {
  case passed
  /// The device, the app or the account has not what it compares, or it is for another platform.
  case notApplicable
  /// A warning that the user has accepted.
  case accepted
  case warn
  /// The user is to be asked first.
  case challenge
  case block, wipe
}

/// One rule of a policy, what it was compared with, and what came of it.
public struct LaunchRuleReport: Hashable, Sendable {
  /// Graph's name.
  public var setting: String
  /// As Microsoft Graph writes it.
  public var value: JSONValue
  /// What it was compared with; null where there is nothing.
  public var actual: JSONValue
  public var outcome: LaunchOutcome
  /// The reason, as a sentence.
  public var text: String
  /// What the user is told; nil where there is nothing to tell.
  public var message: String?
  public var policyId: String

  public init(
    setting: String, value: JSONValue, actual: JSONValue, outcome: LaunchOutcome, text: String, message: String?,
    policyId: String
  ) {
    self.setting = setting
    self.value = value
    self.actual = actual
    self.outcome = outcome
    self.text = text
    self.message = message
    self.policyId = policyId
  }
}

extension LaunchRuleReport: Record {
  package static let schemaName: String? = "LaunchRule"
  package static let fields = Fields(
    Self.init(setting:value:actual:outcome:text:message:policyId:),
    Field("setting", \.setting, "The setting, by Graph's name."),
    Field("value", \.value, "Its value, as Microsoft Graph writes it."),
    Field("actual", \.actual, "What it was compared with; null where that is not known."),
    Field(
      "outcome", \.outcome,
      """
      passed; notApplicable, for another platform or without a value to compare; accepted, a warning that the user has \
      accepted; warn; challenge, the user is to be asked; block; wipe.
      """),
    Field("text", \.text, "The reason, as a sentence for developers and administrators."),
    Field("message", \.message, "What to tell the user; null where the rule has nothing to say."),
    Field("policyId", \.policyId, "The policy that the value comes from."))
}
