import JSON

/// Whether a launch may continue.
package enum LaunchVerdict: String, CaseIterable, Comparable, Sendable, NamedValue {
  case allow
  /// The user must be warned, and may continue.
  case warn
  /// The account's data must not be shown: a rule blocks it, a question to the user is open, or an account needs a
  /// policy first.
  case block
  /// The account's data in the app is removed.
  case wipe

  /// A worse verdict is greater.
  package static func < (first: Self, second: Self) -> Bool { first.rank < second.rank }

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// Whether an app may continue after its launch, and why: what its settings require, and the conditional launch of the
/// account that it shows.
package struct LaunchReport: Hashable, Sendable {
  /// What one setting requires, of the app or of the account's policy.
  package struct Reason: Hashable, Sendable {
    package var setting: String
    package var text: String

    package init(_ key: SettingKey, _ text: String) {
      self.init(setting: key.name, text: text)
    }

    package init(setting: String, text: String) {
      self.setting = setting
      self.text = text
    }
  }

  package var verdict: LaunchVerdict
  package var reasons: [Reason]
  /// `nil` if no account was evaluated.
  package var conditionalLaunch: ConditionalLaunch?

  package init(verdict: LaunchVerdict, reasons: [Reason], conditionalLaunch: ConditionalLaunch? = nil) {
    self.verdict = verdict
    self.reasons = reasons
    self.conditionalLaunch = conditionalLaunch
  }
}

extension LaunchReport: Record {
  package static let fields = Fields(
    Self.init(verdict:reasons:conditionalLaunch:),
    Field(
      "verdict", \.verdict,
      """
      Whether the app may continue: allow; warn, the app may continue after a warning to the user; block; wipe, the \
      account's data is removed.
      """),
    Field(
      "reasons", \.reasons,
      """
      Why the verdict is not allow. Also says what AutoEnrollOnLaunch did, and that with MultiIdentity no account is \
      evaluated yet. Empty if no setting applies.
      """),
    Field(
      "conditionalLaunch", \.conditionalLaunch,
      """
      The conditional launch of the process identity, with its open challenges; null without a policy, with \
      MultiIdentity, in events and in diagnostics.
      """))
}

extension LaunchReport.Reason: Record {
  package static let schemaName = "LaunchReason"
  package static let fields = Fields(
    Self.init(setting:text:),
    Field(
      "setting", \.setting,
      "The setting behind the reason: a setting of the app, or Graph's name of a setting of the account's policy."),
    Field("text", \.text, "What the setting requires, and what to do about it."))
}

/// The outcome of one rule of a policy.
package enum LaunchOutcome: String, CaseIterable, Sendable, NamedValue {
  case passed
  /// The device, the app or the account lacks the value that the rule compares, or the rule is for another platform.
  case notApplicable
  /// The rule warns, and the user accepted the warning.
  case accepted
  case warn
  /// The user must be asked first.
  case challenge
  case block, wipe
}

/// One rule of a policy, what its value was compared with, and the outcome.
package struct LaunchRuleReport: Hashable, Sendable {
  /// The setting's name in Microsoft Graph.
  package var setting: String
  /// The setting's value as Microsoft Graph writes it.
  package var value: JSONValue
  /// What the value was compared with; null if there is nothing.
  package var actual: JSONValue
  package var outcome: LaunchOutcome
  /// The reason, as a sentence.
  package var text: String
  /// What to tell the user; `nil` if there is nothing to tell.
  package var message: String?
  package var policyId: String

  package init(
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
  package static let schemaName = "LaunchRule"
  package static let fields = Fields(
    Self.init(setting:value:actual:outcome:text:message:policyId:),
    Field("setting", \.setting, "The name of the setting in Microsoft Graph."),
    Field("value", \.value, "The value of the setting, as Microsoft Graph writes it."),
    Field("actual", \.actual, "What the value was compared with; null if unknown."),
    Field(
      "outcome", \.outcome,
      """
      passed; notApplicable, the rule is for another platform or has nothing to compare; accepted, the user accepted \
      the warning; warn; challenge, the user must be asked; block; wipe.
      """),
    Field("text", \.text, "The reason, as a sentence for developers and administrators."),
    Field("message", \.message, "What to tell the user; null if there is nothing to tell."),
    Field("policyId", \.policyId, "The id of the policy that the value comes from."))
}

/// The result of an account's conditional launch: whether its data may be shown, and why.
package struct ConditionalLaunch: Hashable, Sendable {
  package var verdict: LaunchVerdict
  /// Every rule of the policy. The first rule whose outcome is the verdict decided it.
  package var rules: [LaunchRuleReport]
  /// What the user must be asked, in this order.
  package var challenges: [Challenge]
  package var host: HostMachine

  package init(verdict: LaunchVerdict, rules: [LaunchRuleReport], challenges: [Challenge], host: HostMachine) {
    self.verdict = verdict
    self.rules = rules
    self.challenges = challenges
    self.host = host
  }
}

extension ConditionalLaunch: Record {
  package static let fields = Fields(
    Self.init(verdict:rules:challenges:host:),
    Field(
      "verdict", \.verdict,
      """
      Whether the account's data may be shown: allow; warn, the user must accept a warning first; block; wipe, the \
      account's data in this app was removed. A wipe takes precedence over a block, and a block over a warning. An \
      open challenge other than a warning also means block.
      """),
    Field(
      "rules", \.rules,
      """
      Every rule of the policy, whatever the verdict, in this order: SDK version, app version, system version, device, \
      account, PIN and sign-in. Of several rules with the same outcome, the first counts.
      """),
    Field("challenges", \.challenges, "What the user must answer, in this order; empty if nothing is open."),
    Field("host", \.host, "The machine that the server runs on. No rule uses it."))
}
