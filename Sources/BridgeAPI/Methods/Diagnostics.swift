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
    Names and ids of known accounts and the setting ValuesToScrubFromLogging are replaced, except in verbose lines, \
    which are only kept with the setting VerboseLoggingEnabled.
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
