import JSON
import MAM
import Model
import Support

enum QueryLog: WorkMethod {
  static let name = "diagnosticsLog.query"
  static let summary = "Lines of the diagnostics log."
  typealias Params = LogQuery
  typealias Result = [LogEntry]
  static let resultSummary = "The lines that fit, in the order asked for."
  static let example = Example(
    Params(level: .warning, limit: 1),
    Result([
      LogEntry(
        time: Timestamp(milliseconds: 1_770_000_000_000), level: .warning, category: .enrollment,
        message: "enroll <user:3fa1c2d4>: licensedNotTargeted (225)")
    ]))

  static func answer(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> [LogEntry] {
    try connection.core.refresh().log.query(params)
  }
}

enum WriteLog: WorkMethod {
  static let name = "diagnosticsLog.write"
  static let summary = "Writes a line of the host's own into the diagnostics log."
  static let details = """
    Names and ids of known accounts are replaced, except in verbose lines, which are only kept with the setting \
    VerboseLoggingEnabled. Values of the keys in ValuesToScrubFromLogging are replaced in every line.
    """
  struct Params: Record {
    var level: LogLevel
    var message: String
    var category: String?
    static let fields = Fields(
      Self.init, Field("level", \.level, "How much it matters."),
      Field("message", \.message, "What happened."),
      Field("category", \.category, "What it is about; \"host\" when not given."))
  }
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let example = Example(
    Params(level: .info, message: "document opened", category: "editor"), Nothing())

  static func answer(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> Nothing {
    try connection.core.refresh().log.writeFromHost(params.level, category: params.category, message: params.message)
    return Nothing()
  }
}

enum SubscribeToLog: WorkMethod {
  static let name = "diagnosticsLog.subscribe"
  static let summary = "Pushes the lines of the diagnostics log to this connection as they are written."
  static let details = """
    Each is a notification logger.log. A second call changes the level. Ends with the connection, or by \
    events.unsubscribe of logger.log. Verbose lines are only written with the setting VerboseLoggingEnabled.
    """
  struct Params: Record {
    var level: LogLevel?
    static let fields = Fields(
      Self.init, Field("level", \.level, "Only lines of this level and above; without it all."))
  }
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let example = Example(Params(level: .warning), Nothing())

  static func answer(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> Nothing {
    let log = try connection.core.refresh().log
    if let peer = connection.peer { connection.logPush.restart(log, from: params.level ?? .verbose, telling: peer) }
    return Nothing()
  }
}

enum ExportDiagnostics: WorkMethod {
  static let name = "diagnosticsLog.export"
  static let summary = "Packs the log and all that support asks for into a new .tar.gz to pass on."
  static let details = """
    In it are the log, and as JSON and as a page: versions, diagnostic information, policies in effect, settings and \
    launch checks. Names and ids of users, mail addresses, paths, values of app configuration, and what looks like a \
    PIN, a key or a token are replaced, in verbose lines too. Sends progress. A path where something is, or in the \
    state folder, is refused. Commit point: the moment in which the archive gets its name; before it there is no file.
    """
  struct Params: Record {
    var path: AbsolutePath
    static let fields = Fields(
      Self.init, Field("path", \.path, "The new archive; readable by this user only."))
  }
  typealias Result = ExportedDiagnostics
  static let resultSummary = "The archive."
  static let errors: [ErrorCode] = [.fileUnavailable, .unsuitableFile]
  static let example = Example(
    Params(path: examplePath), ExportedDiagnostics(path: examplePath, size: 48_213))
  private static let examplePath = AbsolutePath("/home/me/diagnostics.tar.gz") ?? .root

  static func answer(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> ExportedDiagnostics {
    try connection.core.diagnostics.export(connection.diagnosticReport(), to: params.path)
  }
}

enum GetIntuneLogPaths: WorkMethod {
  static let name = "diagnosticConsole.getIntuneLogPaths"
  static let summary = "Where the files of the diagnostics log are."
  typealias Params = NoParameters
  typealias Result = [String]
  static let resultSummary = "Absolute paths, the current file first; without those that do not exist yet."
  static let example = Example(
    Result(["/home/me/.local/state/mambridge/apps/com.example.host/logs/intune.log"]))
  static let sdkMembers = ["IntuneMAMDiagnosticConsole +getIntuneLogPaths"]

  static func answer(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> [String] {
    try connection.core.refresh().log.logPaths
  }
}

enum GetDiagnosticInformation: WorkMethod {
  static let name = "diagnosticConsole.getDiagnosticInformation"
  static let summary = "What support asks for: versions, accounts, policies in force, last check-ins."
  typealias Params = NoParameters
  typealias Result = DiagnosticInformation
  static let resultSummary = "The state of this app; it names accounts, so it is for people who may see them."
  static let example = Example(
    DiagnosticInformation(
      version: "0.1.0", sdkVersion: Device.implementedSDKVersion, appId: "com.example.host", platform: "ios",
      time: Timestamp(milliseconds: 1_770_000_000_000), isManagementEnabled: false, isRestartPending: false,
      source: .none, accounts: [], settings: [:], logPaths: []))
  static let sdkMembers = ["IntuneMAMDiagnosticConsole +getDiagnosticInformation"]

  static func answer(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> DiagnosticInformation {
    try connection.core.diagnostics.information(
      version: connection.bridge.version, sdkVersion: Device.implementedSDKVersion)
  }
}

enum DisplayDiagnosticConsole: WorkMethod {
  static let name = "diagnosticConsole.displayDiagnosticConsole"
  static let summary = "Writes the diagnostics as a page, and asks the host to show it."
  static let details = """
    One HTML file in the state folder, readable by this user only; the next call replaces it. The host is asked by \
    ui.showDiagnosticConsole; where nobody shows it, the page is there all the same. It names accounts.
    """
  typealias Params = NoParameters
  struct Result: Record {
    var path: AbsolutePath
    static let fields = Fields(Self.init, Field("path", \.path, "The page."))
  }
  static let resultSummary = "Where the page is."
  static let errors: [ErrorCode] = [.fileUnavailable]
  static let example = Example(
    Result(
      path: AbsolutePath("/home/me/.local/state/mambridge/apps/com.example.host/diagnostics.html") ?? .root))
  static let sdkMembers = ["IntuneMAMDiagnosticConsole +displayDiagnosticConsole"]

  static func answer(_ params: Params, on connection: BridgeConnection) async throws(MAMError) -> Result {
    let path = try connection.core.diagnostics.writePage(of: connection.diagnosticReport())
    await connection.core.host.showDiagnosticConsole(path: path.text)
    return Result(path: path)
  }
}

extension BridgeConnection {
  fileprivate func diagnosticReport() throws(MAMError) -> DiagnosticReport {
    try core.diagnostics.report(
      version: bridge.version, sdkVersion: Device.implementedSDKVersion, identities: identities)
  }
}
