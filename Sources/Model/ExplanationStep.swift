import JSON

/// One step from a question to its answer.
public struct ExplanationStep: Hashable, Sendable {
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    case identity, managed, policy, setting, rule, verdict
  }

  public var step: Kind
  /// The member of the verdict that it is about; nil for the whole.
  public var part: String?
  public var account: Account?
  public var policy: AppliedPolicy?
  /// Microsoft Graph's name.
  public var setting: String?
  /// Of a setting as Microsoft Graph writes it; of a rule about a part, and of the verdict, the answer.
  public var value: JSONValue
  public var text: String

  public init(
    step: Kind, part: String? = nil, account: Account? = nil, policy: AppliedPolicy? = nil, setting: String? = nil,
    value: JSONValue = .null, text: String
  ) {
    self.step = step
    self.part = part
    self.account = account
    self.policy = policy
    self.setting = setting
    self.value = value
    self.text = text
  }
}

extension ExplanationStep.Kind: NamedValue {}

extension ExplanationStep: Record {
  package static let schemaName: String? = "ExplanationStep"
  package static let fields = Fields(
    Self.init(step:part:account:policy:setting:value:text:),
    Field("step", \.step, "What the step is about; steps come in this order, those of another account in between."),
    Field("part", \.part, "The member of the verdict that a rule is about; null for the whole."),
    Field("account", \.account, "Whom it is about; null where that is nobody or stands in an earlier step."),
    Field("policy", \.policy, "The policy, of a setting the one that its value comes from; null for none."),
    Field("setting", \.setting, "Microsoft Graph's name of the setting; null for none."),
    Field("value", \.value, "The setting's value as Graph writes it, or the answer; null for none."),
    Field("text", \.text, "The step as an English sentence."))
}
