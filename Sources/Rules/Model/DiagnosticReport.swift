import JSON
import Support

/// Everything that support looks at, for one app at one moment. The console, its page and the export are made of it.
package struct DiagnosticReport: Hashable, Sendable {
  package var versions: [String: String]
  package var information: DiagnosticInformation
  /// Why the policy source cannot be read now; `nil` if it can.
  package var sourceError: String?
  package var launch: LaunchReport
  package var identities: DiagnosticIdentities
  package var accounts: [DiagnosticAccount]
  package var settings: [String: SettingReport]
  package var device: Device
  /// Newest first.
  package var log: [LogEntry]

  package init(
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
  package static let fields = Fields(
    Self.init(versions:information:sourceError:launch:identities:accounts:settings:device:log:),
    Field("versions", \.versions, "The versions of the software in use, by name."),
    Field(
      "information", \.information, "The state of the app, as diagnosticConsole.getDiagnosticInformation returns it."),
    Field("sourceError", \.sourceError, "Why the policy source cannot be read now; null if it can."),
    Field("launch", \.launch, "What the settings require, and the worst verdict of any account. Nobody is asked."),
    Field("identities", \.identities, "Which identities are set."),
    Field("accounts", \.accounts, "The registered accounts, with policy and app configuration."),
    Field(
      "settings", \.settings,
      "All settings, as settings.get returns them. Values that are scrubbed from logs are hidden."),
    Field("device", \.device, "What hosts reported about the device."),
    Field("log", \.log, "The newest lines of the diagnostics log."))
}

/// An account with everything that is in force for it.
package struct DiagnosticAccount: Hashable, Sendable {
  package var status: AccountStatus
  /// `nil` if the app no longer knows the account.
  package var policy: PolicyReport?
  /// One object for each source.
  package var appConfig: [JSONObject]
  /// `nil` if the account is not enrolled.
  package var clockStatus: ClockStatus?
  /// What the account's conditional launch would find now; empty without a policy.
  package var launchRules: [LaunchRuleReport]

  package init(
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
  package static let fields = Fields(
    Self.init(status:policy:appConfig:clockStatus:launchRules:),
    Field("status", \.status, "The state of the account, as tenant.status returns it."),
    Field(
      "policy", \.policy,
      "The policy of the account, as policyManager.policy returns it; null if the app no longer knows the account."),
    Field("appConfig", \.appConfig, "The app configuration of the account, one object for each source."),
    Field("clockStatus", \.clockStatus, "Whether the user is at work; null if the account is not enrolled."),
    Field(
      "launchRules", \.launchRules,
      "What conditionalLaunch.evaluate would find now, without asking anybody; empty without a policy."))
}

/// How time passes for a server.
package enum ClockKind: String, CaseIterable, Hashable, Sendable, NamedValue {
  case system
  /// Stands still until debug.advanceClock moves it.
  case manual
}

/// The state of an app, as support asks for it.
package struct DiagnosticInformation: Hashable, Sendable {
  package var version: String
  package var sdkVersion: String
  package var appId: String
  package var platform: String
  package var time: Timestamp
  package var clock: ClockKind
  /// The language of texts for the user if a call names none, in BCP 47.
  package var language: String
  package var isManagementEnabled: Bool
  package var isRestartPending: Bool
  package var source: PolicySourceKind
  package var accounts: [AccountStatus]
  package var settings: JSONObject
  package var logPaths: [String]
  /// Why the policy source cannot be read now; `nil` if it can.
  package var sourceError: String?
  package var launch: LaunchReport
  package var asks: Bool
  /// `nil` if nothing was wiped.
  package var lastWipe: LastWipe?
  /// Why the times of the state are ahead of the machine's clock, and what to do; `nil` if they are not.
  package var clockWarning: String?
  /// The tag by which policy sources and administrators know this host; `nil` before the state has keys.
  package var deviceTag: String?

  package init(
    version: String, sdkVersion: String, appId: String, platform: String, time: Timestamp, clock: ClockKind,
    language: String, isManagementEnabled: Bool, isRestartPending: Bool, source: PolicySourceKind,
    accounts: [AccountStatus], settings: JSONObject, logPaths: [String], sourceError: String?, launch: LaunchReport,
    asks: Bool = false, lastWipe: LastWipe? = nil, clockWarning: String? = nil, deviceTag: String? = nil
  ) {
    self.version = version
    self.sdkVersion = sdkVersion
    self.appId = appId
    self.platform = platform
    self.time = time
    self.clock = clock
    self.language = language
    self.isManagementEnabled = isManagementEnabled
    self.isRestartPending = isRestartPending
    self.source = source
    self.accounts = accounts
    self.settings = settings
    self.logPaths = logPaths
    self.sourceError = sourceError
    self.launch = launch
    self.asks = asks
    self.lastWipe = lastWipe
    self.clockWarning = clockWarning
    self.deviceTag = deviceTag
  }
}

extension DiagnosticInformation: Record {
  package static let fields = Fields(
    Self.init(
      version:sdkVersion:appId:platform:time:clock:language:isManagementEnabled:isRestartPending:source:accounts:
      settings:logPaths:sourceError:launch:asks:lastWipe:clockWarning:deviceTag:),
    Field("version", \.version, "The version of the server."),
    Field("sdkVersion", \.sdkVersion, "The SDK level that the server implements."),
    Field("appId", \.appId, "The bundle id of the app."),
    Field("platform", \.platform, "The platform whose policies apply."),
    Field("time", \.time, "The time by the server's clock."),
    Field("clock", \.clock, "The server's clock: system, or manual, which only debug.advanceClock moves."),
    Field("language", \.language, "The language of texts for the user if a call names none, such as en."),
    Field("isManagementEnabled", \.isManagementEnabled, "Whether an account is managed or must be."),
    Field(
      "isRestartPending", \.isRestartPending,
      "Whether the app must be restarted for a first policy that arrived after this server started."),
    Field("source", \.source, "Where policies come from."),
    Field("accounts", \.accounts, "The registered accounts."),
    Field("settings", \.settings, "The settings in force, by name."),
    Field("logPaths", \.logPaths, "The files of the diagnostics log."),
    Field("sourceError", \.sourceError, "Why the policy source cannot be read now; null if it can."),
    Field("launch", \.launch, "What the settings require, and the worst verdict of any account. Nobody is asked."),
    Field(
      "asks", \.asks,
      "Whether only the answers of users are missing: each account with the worst verdict waits for its user."),
    Field("lastWipe", \.lastWipe, "The last wipe of data in this app, and why; null if there was none."),
    Field(
      "clockWarning", \.clockWarning,
      "Why the times of the state are ahead of the machine's clock, and what to do; null if they are not."),
    Field(
      "deviceTag", \.deviceTag,
      "The tag by which policy sources and their administrators know this host, one for each state folder; null before "
        + "the state has keys."))
}

/// Whose policy applies to calls that name no account.
package struct DiagnosticIdentities: Hashable, Sendable {
  /// The account that was enrolled first.
  package var primary: Account?
  /// The account whose policy applies if no identity is set; `nil` if there is none.
  package var effective: Account?
  package var process: String?
  /// Identities by the names that the host gave to its threads and windows.
  package var threads: [String: String]
  package var windows: [String: String]

  package init(
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
  package static let fields = Fields(
    Self.init(primary:effective:process:threads:windows:),
    Field("primary", \.primary, "The account that was enrolled first; null if none is enrolled."),
    Field("effective", \.effective, "The account whose policy applies if no identity is set; null if there is none."),
    Field("process", \.process, "The identity of the server process; null if none is set."),
    Field("threads", \.threads, "The identities of the connection's threads, by the host's names."),
    Field("windows", \.windows, "The identities of the connection's windows, by the host's names."))
}

/// The archive that an export created.
package struct ExportedDiagnostics: Hashable, Sendable {
  package var path: AbsolutePath
  package var size: Int

  package init(path: AbsolutePath, size: Int) {
    self.path = path
    self.size = size
  }
}

extension ExportedDiagnostics: Record {
  package static let fields = Fields(
    Self.init(path:size:), Field("path", \.path, "The path of the archive."),
    Field("size", \.size, "The size of the archive, in bytes."))
}
