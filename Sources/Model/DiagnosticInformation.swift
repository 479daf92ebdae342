import JSON
import Support

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
