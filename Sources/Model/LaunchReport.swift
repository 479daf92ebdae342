import JSON

/// Whether an application may go on after its start, and why.
public struct LaunchReport: Hashable, Sendable {
  public enum Verdict: String, CaseIterable, Sendable, NamedValue {
    case allow
    /// The user is to be told, and may go on.
    case warn
    /// Policy and data methods are refused until an account has a policy.
    case block
  }

  /// What one setting had to say.
  public struct Reason: Hashable, Sendable {
    public var setting: String
    public var text: String

    public init(_ key: SettingKey, _ text: String) {
      self.init(setting: key.name, text: text)
    }

    private init(setting: String, text: String) {
      self.setting = setting
      self.text = text
    }
  }

  public var verdict: Verdict
  public var reasons: [Reason]

  public init(verdict: Verdict, reasons: [Reason]) {
    self.verdict = verdict
    self.reasons = reasons
  }
}

extension LaunchReport: Record {
  package static let schemaName: String? = "LaunchReport"
  package static let fields = Fields(
    Self.init(verdict:reasons:),
    Field("verdict", \.verdict, "Whether the application may go on, shall warn its user first, or is blocked."),
    Field("reasons", \.reasons, "Why, and what became of AutoEnrollOnLaunch; empty when no setting has a say."))
}

extension LaunchReport.Reason: Record {
  package static let schemaName: String? = "LaunchReason"
  package static let fields = Fields(
    Self.init(setting:text:), Field("setting", \.setting, "The setting that says so."),
    Field("text", \.text, "What it says, and the way out."))
}
