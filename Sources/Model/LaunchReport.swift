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
