import JSON
import Model
import Support

package enum QueryLog: Method {
  package static let name = "diagnosticsLog.query"
  package static let summary = "Lines of the diagnostics log."
  package typealias Params = LogQuery
  package typealias Result = [LogEntry]
  package static let resultSummary = "The lines that fit, in the order asked for."
  package static let errors: [APIError] = .store
  package static let example = Example(
    Params(level: .warning, limit: 1),
    Result([
      LogEntry(
        time: Timestamp(milliseconds: 1_770_000_000_000), level: .warning, category: .enrollment,
        message: "enroll <user:3fa1c2d4>: licensedNotTargeted (225)")
    ]))
}

package enum WriteLog: Method {
  package static let name = "diagnosticsLog.write"
  package static let summary = "Writes a line of the host's own into the diagnostics log."
  package static let details = """
    Names and ids of known accounts are replaced, except in verbose lines, which are only kept with the setting \
    VerboseLoggingEnabled. Values of the keys in ValuesToScrubFromLogging are replaced in every line.
    """
  package struct Params: Record {
    package var level: LogLevel
    package var message: String
    package var category: String?
    package static let fields = Fields(
      Self.init(level:message:category:), Field("level", \.level, "How much it matters."),
      Field("message", \.message, "What happened."),
      Field("category", \.category, "What it is about; \"host\" when not given."))
  }
  package typealias Result = Nothing
  package static let resultSummary = "Null."
  package static let errors: [APIError] = .store
  package static let example = Example(
    Params(level: .info, message: "document opened", category: "editor"), Nothing())
}

package enum SubscribeToLog: Method {
  package static let name = "diagnosticsLog.subscribe"
  package static let summary = "Pushes the lines of the diagnostics log to this connection as they are written."
  package static let details = """
    Each is a notification logger.log. A second call changes the level. Ends with the connection, or by \
    events.unsubscribe of logger.log. Verbose lines are only written with the setting VerboseLoggingEnabled.
    """
  package struct Params: Record {
    package var level: LogLevel?
    package static let fields = Fields(
      Self.init(level:), Field("level", \.level, "Only lines of this level and above; without it all."))
  }
  package typealias Result = Nothing
  package static let resultSummary = "Null."
  package static let errors: [APIError] = .store
  package static let example = Example(Params(level: .warning), Nothing())
}

package enum ExportDiagnostics: Method {
  package static let name = "diagnosticsLog.export"
  package static let summary = "Packs the log and all that support asks for into a new .tar.gz to pass on."
  package static let details = """
    In it are the log, and as JSON and as a page: versions, diagnostic information, policies in effect, settings and \
    launch checks. Names and ids of users, mail addresses, paths, values of app configuration, and what looks like a \
    PIN, a key or a token are replaced, in verbose lines too. Sends progress. A path where something is, or in the state \
    folder, is refused. Commit point: the moment in which the archive gets its name; before it there is no file.
    """
  package struct Params: Record {
    package var path: AbsolutePath
    package static let fields = Fields(
      Self.init(path:), Field("path", \.path, "The new archive; readable by this user only."))
  }
  package typealias Result = ExportedDiagnostics
  package static let resultSummary = "The archive."
  package static let errors: [APIError] = .store + [.fileUnavailable, .unsuitableFile]
  package static let example = Example(
    Params(path: examplePath), ExportedDiagnostics(path: examplePath, size: 48_213))
  private static let examplePath = AbsolutePath("/home/me/diagnostics.tar.gz") ?? .root
}

package enum GetIntuneLogPaths: Method {
  package static let name = "diagnosticConsole.getIntuneLogPaths"
  package static let summary = "Where the files of the diagnostics log are."
  package typealias Params = NoParameters
  package typealias Result = [String]
  package static let resultSummary = "Absolute paths, the current file first; without those that do not exist yet."
  package static let errors: [APIError] = .store
  package static let example = Example(
    Result(["/home/me/.local/state/mambridge/apps/com.example.host/logs/intune.log"]))
  package static let sdkMembers = ["IntuneMAMDiagnosticConsole +getIntuneLogPaths"]
}

package enum GetDiagnosticInformation: Method {
  package static let name = "diagnosticConsole.getDiagnosticInformation"
  package static let summary = "What support asks for: versions, accounts, policies in force, last check-ins."
  package typealias Params = NoParameters
  package typealias Result = DiagnosticInformation
  package static let resultSummary = "The state of this app; it names accounts, so it is for people who may see them."
  package static let errors: [APIError] = .store
  package static let example = Example(
    DiagnosticInformation(
      version: "0.1.0", sdkVersion: SDKVersion.implementedVersion, appId: "com.example.host", platform: "ios",
      time: Timestamp(milliseconds: 1_770_000_000_000), isManagementEnabled: false, isRestartPending: false,
      source: .none, accounts: [], settings: [:], logPaths: []))
  package static let sdkMembers = ["IntuneMAMDiagnosticConsole +getDiagnosticInformation"]
}

package enum DisplayDiagnosticConsole: Method {
  package static let name = "diagnosticConsole.displayDiagnosticConsole"
  package static let summary = "Writes the diagnostics as a page, and asks the host to show it."
  package static let details = """
    One HTML file in the state folder, readable by this user only; the next call replaces it. The host is asked by \
    ui.showDiagnosticConsole; where nobody shows it, the page is there all the same. It names accounts.
    """
  package typealias Params = NoParameters
  package struct Result: Record {
    package var path: AbsolutePath

    package init(path: AbsolutePath) {
      self.path = path
    }

    package static let fields = Fields(Self.init(path:), Field("path", \.path, "The page."))
  }
  package static let resultSummary = "Where the page is."
  package static let errors: [APIError] = .store + [.fileUnavailable]
  package static let example = Example(
    Result(
      path: AbsolutePath("/home/me/.local/state/mambridge/apps/com.example.host/diagnostics.html") ?? .root))
  package static let sdkMembers = ["IntuneMAMDiagnosticConsole +displayDiagnosticConsole"]
}
