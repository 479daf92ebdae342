import JSON

/// All that support looks at, of one app at one moment: what the console, its page and the export are made of.
public struct DiagnosticReport: Hashable, Sendable {
  public var versions: [String: String]
  public var information: DiagnosticInformation
  /// Why the policy source cannot be read now; nil when it can.
  public var sourceError: String?
  public var launch: LaunchReport
  public var identities: DiagnosticIdentities
  public var accounts: [DiagnosticAccount]
  public var settings: [String: SettingReport]
  public var device: Device
  /// The newest first.
  public var log: [LogEntry]

  public init(
    versions: [String: String], information: DiagnosticInformation, sourceError: String?, launch: LaunchReport,
    identities: DiagnosticIdentities, accounts: [DiagnosticAccount], settings: [String: SettingReport], device: Device,
    log: [LogEntry]
  ) {
    self.versions = versions
    self.information = information
    self.sourceError = sourceError
    self.launch = launch
    self.identities = identities
    self.accounts = accounts
    self.settings = settings
    self.device = device
    self.log = log
  }
}

extension DiagnosticReport: Record {
  package static let schemaName: String? = "DiagnosticReport"
  package static let fields = Fields(
    Self.init(versions:information:sourceError:launch:identities:accounts:settings:device:log:),
    Field("versions", \.versions, "What is at work here, by name."),
    Field("information", \.information, "The state of the app, as diagnosticConsole.getDiagnosticInformation tells."),
    Field("sourceError", \.sourceError, "Why the policy source cannot be read now; null when it can."),
    Field("launch", \.launch, "What the settings ask for, and the worst verdict of any account; nobody is asked."),
    Field("identities", \.identities, "Whose policy holds where."),
    Field("accounts", \.accounts, "The registered accounts, with policy and app configuration."),
    Field("settings", \.settings, "All settings, as settings.get tells; what is scrubbed from logs is not shown."),
    Field("device", \.device, "What the host has told of the device."),
    Field("log", \.log, "The newest lines of the diagnostics log."))
}

/// An account with all that is in force for it.
public struct DiagnosticAccount: Hashable, Sendable {
  public var status: AccountStatus
  /// Nil where the account is unknown to the app by now.
  public var policy: PolicyReport?
  /// One object for each source.
  public var appConfig: [JSONObject]
  /// Nil for an account that is not enrolled.
  public var clockStatus: ClockStatus?
  /// What its conditional launch would find now; empty without policy.
  public var launchRules: [LaunchRuleReport]

  public init(
    status: AccountStatus, policy: PolicyReport?, appConfig: [JSONObject], clockStatus: ClockStatus?,
    launchRules: [LaunchRuleReport]
  ) {
    self.status = status
    self.policy = policy
    self.appConfig = appConfig
    self.clockStatus = clockStatus
    self.launchRules = launchRules
  }
}

extension DiagnosticAccount: Record {
  package static let schemaName: String? = "DiagnosticAccount"
  package static let fields = Fields(
    Self.init(status:policy:appConfig:clockStatus:launchRules:),
    Field("status", \.status, "Where it stands, as tenant.status tells."),
    Field("policy", \.policy, "Its policy, as policyManager.policy tells; null when it is gone by now."),
    Field("appConfig", \.appConfig, "Its app configuration, one object for each source."),
    Field("clockStatus", \.clockStatus, "Whether the user is at work; null for an account that is not enrolled."),
    Field(
      "launchRules", \.launchRules,
      "What conditionalLaunch.evaluate would find now; nobody is asked. Empty without policy."))
}
