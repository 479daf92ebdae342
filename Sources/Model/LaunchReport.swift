import JSON

/// Whether an application may go on after its start, and why: what its settings ask for, and the conditional launch of
/// the account that it shows.
public struct LaunchReport: Hashable, Sendable {
  public enum Verdict: String, CaseIterable, Sendable, NamedValue {
    case allow
    /// The user is to be told, and may go on.
    case warn
    /// Nothing of the account may be shown, or an account must have a policy first: until then policy and data methods
    /// are refused.
    case block
    /// What the app held of the account is removed.
    case wipe
  }

  /// What one setting, of the app or of the account's policy, had to say.
  public struct Reason: Hashable, Sendable {
    public var setting: String
    public var text: String

    public init(_ key: SettingKey, _ text: String) {
      self.init(setting: key.name, text: text)
    }

    package init(setting: String, text: String) {
      self.setting = setting
      self.text = text
    }
  }

  public var verdict: Verdict
  public var reasons: [Reason]
  /// Nil if no account was evaluated.
  public var conditionalLaunch: ConditionalLaunch?

  public init(verdict: Verdict, reasons: [Reason], conditionalLaunch: ConditionalLaunch? = nil) {
    self.verdict = verdict
    self.reasons = reasons
    self.conditionalLaunch = conditionalLaunch
  }
}

extension LaunchReport.Verdict: Comparable {
  /// The verdict of a conditional launch as that of an application.
  package init(_ verdict: ConditionalLaunch.Verdict) {
    self =
      switch verdict {
      case .allow: .allow
      case .warn: .warn
      case .block: .block
      case .wipe: .wipe
      }
  }

  /// The worse one is the greater one.
  public static func < (first: Self, second: Self) -> Bool { first.rank < second.rank }

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

extension LaunchReport: Record {
  package static let schemaName: String? = "LaunchReport"
  package static let fields = Fields(
    Self.init(verdict:reasons:conditionalLaunch:),
    Field(
      "verdict", \.verdict,
      """
      Whether the application may go on, must warn its user first, or is blocked; wipe: the account's data is removed.
      """),
    Field(
      "reasons", \.reasons,
      """
      Why, what became of AutoEnrollOnLaunch, and that MultiIdentity left the accounts for later; empty if no setting \
      has a say.
      """),
    Field(
      "conditionalLaunch", \.conditionalLaunch,
      """
      The conditional launch of the process identity, with its open challenges. Null without policy, with \
      MultiIdentity, in events and in diagnostics.
      """))
}

extension LaunchReport.Reason: Record {
  package static let schemaName: String? = "LaunchReason"
  package static let fields = Fields(
    Self.init(setting:text:),
    Field("setting", \.setting, "The setting that says so: the app's, or one of the account's policy by Graph's name."),
    Field("text", \.text, "What it says, and the way out."))
}

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

/// What the conditional launch of an account found, and whether its data may be shown.
public struct ConditionalLaunch: Hashable, Sendable {
  public enum Verdict: String, CaseIterable, Sendable, NamedValue {
    case allow
    /// The user has to be warned, and may go on.
    case warn
    /// Nothing of the account may be shown: a rule blocks it, or a question to the user is open.
    case block
    /// What the app held of the account is removed.
    case wipe
  }

  public var verdict: Verdict
  /// All that the policy has. The first whose outcome is the verdict decided it.
  public var rules: [LaunchRuleReport]
  /// What the user is to be asked, in the order in which it is asked.
  public var challenges: [Challenge]
  public var host: HostMachine

  public init(verdict: Verdict, rules: [LaunchRuleReport], challenges: [Challenge], host: HostMachine) {
    self.verdict = verdict
    self.rules = rules
    self.challenges = challenges
    self.host = host
  }
}

extension ConditionalLaunch: Record {
  package static let schemaName: String? = "ConditionalLaunch"
  package static let fields = Fields(
    Self.init(verdict:rules:challenges:host:),
    Field(
      "verdict", \.verdict,
      """
      Whether the account's data may be shown: allow; warn, a warning has to be accepted first; block; wipe, its data in \
      this app was removed. Wipe comes before block, block before warn. An open challenge of another kind is a block.
      """),
    Field(
      "rules", \.rules,
      """
      Every rule of the policy, whatever the verdict: the SDK's version, the app's, the system's, then device, account, \
      PIN and sign-in. Of several with one outcome the first one counts.
      """),
    Field("challenges", \.challenges, "What the user has to answer, in this order; empty where nothing is open."),
    Field("host", \.host, "The machine that the server runs on. No rule looks at it."))
}
