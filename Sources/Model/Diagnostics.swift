import JSON
import Support

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

/// The state of an app as support asks for it.
public struct DiagnosticInformation: Hashable, Sendable {
  public var version: String
  public var sdkVersion: String
  public var appId: String
  public var platform: String
  public var time: Timestamp
  public var isManagementEnabled: Bool
  public var isRestartPending: Bool
  public var source: PolicySourceKind
  public var accounts: [AccountStatus]
  public var settings: JSONObject
  public var logPaths: [String]

  public init(
    version: String, sdkVersion: String, appId: String, platform: String, time: Timestamp,
    isManagementEnabled: Bool, isRestartPending: Bool, source: PolicySourceKind, accounts: [AccountStatus],
    settings: JSONObject, logPaths: [String]
  ) {
    self.version = version
    self.sdkVersion = sdkVersion
    self.appId = appId
    self.platform = platform
    self.time = time
    self.isManagementEnabled = isManagementEnabled
    self.isRestartPending = isRestartPending
    self.source = source
    self.accounts = accounts
    self.settings = settings
    self.logPaths = logPaths
  }
}

extension DiagnosticInformation: Record {
  package static let schemaName: String? = "DiagnosticInformation"
  package static let fields = Fields(
    Self.init(
      version:sdkVersion:appId:platform:time:isManagementEnabled:isRestartPending:source:accounts:settings:logPaths:
    ),
    Field("version", \.version, "The server's version."),
    Field("sdkVersion", \.sdkVersion, "The level of the SDK that is implemented."),
    Field("appId", \.appId, "The app's bundle id."),
    Field("platform", \.platform, "The system whose policies count."),
    Field("time", \.time, "The core's time."),
    Field("isManagementEnabled", \.isManagementEnabled, "Whether any account is managed, or must be."),
    Field(
      "isRestartPending", \.isRestartPending,
      "Whether the application must be restarted for its first policy, since this server started."),
    Field("source", \.source, "Where policies come from."),
    Field("accounts", \.accounts, "The registered accounts."),
    Field("settings", \.settings, "The settings in effect, by name."),
    Field("logPaths", \.logPaths, "The files of the diagnostics log."))
}

/// Whose policy holds where no account is named.
public struct DiagnosticIdentities: Hashable, Sendable {
  /// The account that was enrolled first.
  public var primary: Account?
  /// Whose policy holds where no identity is set; nil for nobody's.
  public var effective: Account?
  public var process: String?
  /// By the names that the host gave.
  public var threads: [String: String]
  public var windows: [String: String]

  public init(
    primary: Account? = nil, effective: Account? = nil, process: String? = nil, threads: [String: String] = [:],
    windows: [String: String] = [:]
  ) {
    self.primary = primary
    self.effective = effective
    self.process = process
    self.threads = threads
    self.windows = windows
  }
}

extension DiagnosticIdentities: Record {
  package static let schemaName: String? = "DiagnosticIdentities"
  package static let fields = Fields(
    Self.init(primary:effective:process:threads:windows:),
    Field("primary", \.primary, "The account that was enrolled first; null before."),
    Field("effective", \.effective, "Whose policy holds where no identity is set; null for nobody's."),
    Field("process", \.process, "The identity of the host's process; null where none was set."),
    Field("threads", \.threads, "The identities of the connection's threads, by the host's names."),
    Field("windows", \.windows, "The identities of the connection's windows, by the host's names."))
}

/// The archive that an export has made.
public struct ExportedDiagnostics: Hashable, Sendable {
  public var path: AbsolutePath
  public var size: Int

  public init(path: AbsolutePath, size: Int) {
    self.path = path
    self.size = size
  }
}

extension ExportedDiagnostics: Record {
  package static let schemaName: String? = "ExportedDiagnostics"
  package static let fields = Fields(
    Self.init(path:size:), Field("path", \.path, "Where the archive is."),
    Field("size", \.size, "Its length in bytes."))
}
