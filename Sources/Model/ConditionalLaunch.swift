import JSON

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
