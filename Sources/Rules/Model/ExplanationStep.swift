import JSON

/// One step of an explanation.
package struct ExplanationStep: Hashable, Sendable {
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    case identity, managed, lockDown, policy, setting, rule, verdict
  }

  package var step: Kind
  /// The member of the verdict that the step is about; `nil` if it is about the whole verdict.
  package var part: String?
  package var account: Account?
  /// The accounts of a view that is locked down; `nil` for every other step.
  package var accounts: [Account]?
  package var policy: AppliedPolicy?
  /// The setting's name in Microsoft Graph.
  package var setting: String?
  /// For a setting, its value as Microsoft Graph writes it. For the verdict, and for a rule about a part of it, the
  /// answer.
  package var value: JSONValue
  package var text: String

  package init(
    step: Kind, part: String? = nil, account: Account? = nil, policy: AppliedPolicy? = nil, setting: String? = nil,
    value: JSONValue = .null, text: String, accounts: [Account]? = nil
  ) {
    self.step = step
    self.part = part
    self.account = account
    self.policy = policy
    self.setting = setting
    self.value = value
    self.text = text
    self.accounts = accounts
  }
}

extension ExplanationStep.Kind: NamedValue {
  package static let schemaName = "ExplanationStepKind"
}

extension ExplanationStep: Record {
  package static let fields = Fields(
    Self.init(step:part:account:policy:setting:value:text:accounts:),
    Field(
      "step", \.step,
      """
      What the step is about. The verdict comes first, then each setting that decided and its rule, then the identity \
      in question, whether it is managed, and its policies. If another account decided, whether that account is \
      managed and its policies come before the setting. For a view of several accounts that is locked down, one step \
      lockDown names them.
      """),
    Field("part", \.part, "The member of the verdict that a rule is about; null if it is about the whole verdict."),
    Field(
      "account", \.account,
      "The account that the step is about, or another account whose setting decided; otherwise null."),
    Field("policy", \.policy, "The policy, or the policy that the setting's value comes from; null if there is none."),
    Field("setting", \.setting, "Microsoft Graph's name of the setting; null if there is none."),
    Field(
      "value", \.value,
      "A setting's value in Graph's form, whether the account is managed, or the answer; null if there is none."),
    Field("text", \.text, "The step as an English sentence."),
    Field("accounts", \.accounts, "For the step lockDown: the accounts that the view shows; otherwise null."))
}
