import JSON
import MAM
import Model
import Support

enum QueryLog: WorkMethod {
  static let name = "diagnosticsLog.query"
  static let summary = "Return lines of the diagnostics log."
  typealias Params = LogQuery
  typealias Result = [LogEntry]
  static let resultSummary = "The matching lines, in the requested order."
  static let example = Example(
    Params(level: .warning, limit: 1),
    Result([
      LogEntry(
        time: Timestamp(milliseconds: 1_770_000_000_000), level: .warning, category: .enrollment,
        message: "enroll <user:3fa1c2d4>: licensedNotTargeted (225)", cause: .example)
    ]))

  static func answer(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> [LogEntry] {
    try connection.core.refresh().log.query(params)
  }
}

enum WriteLog: WorkMethod {
  static let name = "diagnosticsLog.write"
  static let summary = "Write a line from the host to the diagnostics log."
  static let details = """
    Names and ids of known accounts are replaced, except in verbose lines, which are written only with the setting \
    VerboseLoggingEnabled. Values of the keys in ValuesToScrubFromLogging are replaced in every line.
    """
  struct Params: Record {
    var level: LogLevel
    var message: String
    var category: String?
    static let fields = Fields(
      Self.init, Field("level", \.level, "How important the line is."),
      Field("message", \.message, "What happened."),
      Field("category", \.category, "What the line is about; defaults to \"host\"."))
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
  static let summary = "Push lines of the diagnostics log to this connection as they are written."
  static let details = """
    Each line is sent as the notification logger.log. A second call changes the level. The subscription ends with the \
    connection, or with events.unsubscribe for logger.log. Verbose lines are written only with the setting \
    VerboseLoggingEnabled.
    """
  struct Params: Record {
    var level: LogLevel?
    static let fields = Fields(
      Self.init, Field("level", \.level, "Only lines of this level and above; defaults to all levels."))
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
  static let summary = "Pack the log and everything that support asks for into a new .tar.gz file."
  static let details = """
    The archive holds the log and, as JSON and as a page, versions, diagnostic information, policies in force, \
    settings and launch checks. User names and ids, mail addresses, paths, values of app configuration, and anything \
    that looks like a PIN, a key or a token are replaced, even in verbose lines. Sends progress. The path must not \
    exist yet, and must not be in the state folder. Commit point: when the archive gets its name; until then there is \
    no file.

    With a sessionId, diagnosticConsole.collectLogs first asks the host for its own logs, which are added as they are, \
    below host/. Logs that cannot be read, are longer than 16 MiB or are in the state folder are left out, with a \
    warning in the log.
    """
  struct Params: Record {
    var path: AbsolutePath
    var sessionId: String?
    var account: AccountReference?
    static let fields = Fields(
      Self.init, Field("path", \.path, "The path of the new archive, which only this user can read."),
      Field(
        "sessionId", \.sessionId,
        "A support session, for which the host is asked for its own logs; null to leave them out."),
      Field("account", \.account, "The account that the session is about, for the host; defaults to none."))
  }
  typealias Result = ExportedDiagnostics
  static let resultSummary = "The archive."
  static let errors: [ErrorCode] = [.fileUnavailable, .unsuitableFile]
  static let example = Example(
    Params(path: examplePath, sessionId: nil, account: nil), ExportedDiagnostics(path: examplePath, size: 48_213))
  private static let examplePath = AbsolutePath("/home/me/diagnostics.tar.gz") ?? .root

  static func answer(
    _ params: Params, on connection: BridgeConnection
  ) async throws(MAMError) -> ExportedDiagnostics {
    let diagnostics = connection.core.diagnostics
    var hostLogs: [AbsolutePath] = []
    if let sessionId = params.sessionId {
      hostLogs = try await diagnostics.hostLogs(for: sessionId, about: params.account)
    }
    return try diagnostics.export(connection.diagnosticReport(), to: params.path, with: hostLogs)
  }
}

enum GetIntuneLogPaths: WorkMethod {
  static let name = "diagnosticConsole.getIntuneLogPaths"
  static let summary = "Return the paths of the diagnostics log files."
  typealias Params = NoParameters
  typealias Result = [String]
  static let resultSummary = "Absolute paths, the current file first. Files that do not exist yet are left out."
  static let example = Example(
    Result(["/home/me/.local/state/mambridge/apps/com.example.host/logs/intune.log"]))
  static let sdkMembers = ["IntuneMAMDiagnosticConsole +getIntuneLogPaths"]

  static func answer(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> [String] {
    try connection.core.refresh().log.logPaths
  }
}

enum GetDiagnosticInformation: WorkMethod {
  static let name = "diagnosticConsole.getDiagnosticInformation"
  static let summary = "Return what support asks for: versions, accounts, policies in force and last check-ins."
  typealias Params = NoParameters
  typealias Result = DiagnosticInformation
  static let resultSummary = "The state of this app. It names accounts, so it is only for people who may see them."
  static let example = Example(
    DiagnosticInformation(
      version: "0.3.0", sdkVersion: Device.implementedSDKVersion, appId: "com.example.host", platform: "ios",
      time: Timestamp(milliseconds: 1_770_000_000_000), clock: .system, language: "en", isManagementEnabled: false,
      isRestartPending: false, source: .none, accounts: [], settings: [:], logPaths: [], sourceError: nil,
      launch: LaunchReport(verdict: .allow, reasons: [])))
  static let sdkMembers = ["IntuneMAMDiagnosticConsole +getDiagnosticInformation"]

  static func answer(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> DiagnosticInformation {
    try connection.core.diagnostics.information(
      version: connection.bridge.version, sdkVersion: Device.implementedSDKVersion)
  }
}

enum GetDiagnosticReport: WorkMethod {
  static let name = "diagnosticConsole.getReport"
  static let summary = "Return the diagnostic report in sections, for a host that shows it itself."
  static let details = """
    The report is in English. It names accounts, so it is only for people who may see them. \
    diagnosticConsole.displayDiagnosticConsole writes the same report as a page.
    """
  struct Params: Record {
    var logLines: LogLimit
    static let fields = Fields(
      Self.init,
      Field("logLines", \.logLines, default: 100, "How many of the newest lines of the log to include."))
  }
  typealias Result = DiagnosticDocument
  static let resultSummary = "The report."
  static let example = Example(Params(logLines: 100), DiagnosticDocument.example)

  static func answer(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> DiagnosticDocument {
    try connection.diagnosticReport(logLines: params.logLines).document
  }
}

enum DisplayDiagnosticConsole: WorkMethod {
  static let name = "diagnosticConsole.displayDiagnosticConsole"
  static let summary = "Write the diagnostics page, and ask the host to show it."
  static let details = """
    The page is an HTML file in the state folder that only this user can read. The next call replaces it. \
    ui.showDiagnosticConsole asks the host to show it; the page is written even if no host does. The page names \
    accounts.
    """
  typealias Params = NoParameters
  struct Result: Record {
    var path: AbsolutePath
    static let schemaName = "DiagnosticPage"
    static let fields = Fields(Self.init, Field("path", \.path, "The path of the page."))
  }
  static let resultSummary = "The path of the page."
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
  fileprivate func diagnosticReport(logLines: LogLimit = 100) throws(MAMError) -> DiagnosticReport {
    try core.diagnostics.report(
      version: bridge.version, sdkVersion: Device.implementedSDKVersion, identities: identities,
      session: launchSession, logLines: logLines)
  }
}
