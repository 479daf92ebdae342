import ArgumentParser
import Bridge
import Glibc
import JSON
import MAM
import Model

struct Diagnostics: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diagnostics",
    abstract: "Show what happened on this machine: accounts, policies, settings, launch checks, log.",
    discussion: """
      On a terminal it has colors and follows the width; into a pipe or file it writes plain text. NO_COLOR turns \
      colors off, COLUMNS is the width where there is no terminal.

        mambridge diagnostics
        mambridge diagnostics --json | jq .launch
        mambridge diagnostics --html page.html
        mambridge diagnostics --export support.tar.gz

      All but the export name the accounts: they are for people who may see them. In the export names, addresses, ids, \
      paths and secrets are replaced.
      """)

  @Flag(help: "Print JSON instead.")
  var json = false

  @Option(
    help: "Write one HTML page that needs no other file, in place of what is there; prints nothing.",
    completion: .file())
  var html: AbsolutePath?

  @Option(
    help: ArgumentHelp(
      "Write a new .tar.gz with the log and the report, without personal data; prints its path and size.",
      valueName: "file"), completion: .file())
  var export: AbsolutePath?

  @Option(help: "How many of the newest log lines the report has, 1 to 10000.")
  var lines: Int?

  @OptionGroup var core: CoreOptions

  func validate() throws {
    guard [json, html != nil, export != nil].count(where: { $0 }) <= 1 else {
      throw ValidationError("Only one of --json, --html and --export can be asked for.")
    }
    guard lines.map(LogLimit.range.contains) ?? true else { throw ValidationError("--lines is from 1 to 10000.") }
  }

  func run() throws {
    Mambridge.prepareProcess()
    signal(SIGPIPE, SIG_IGN)
    throw ExitCode(
      reportingFailure {
        let core = try core.arguments.makeCore()
        defer { core.end() }
        let report = try coreResult { () throws(MAMError) in try makeReport(of: core) }
        try write(report, of: core)
        return EXIT_SUCCESS
      })
  }

  /// A terminal shows fewer lines unless more are asked for.
  private func makeReport(of core: Core) throws(MAMError) -> DiagnosticReport {
    let isShown = !json && html == nil && export == nil
    return try core.diagnostics.report(
      version: Mambridge.version, sdkVersion: Device.implementedSDKVersion,
      logLines: LogLimit(lines ?? (isShown ? 20 : 200)))
  }

  private func write(_ report: DiagnosticReport, of core: Core) throws {
    if let html {
      try coreResult { () throws(MAMError) in try core.files.checkOutsideState(html) }
      try coreResult { () throws(MAMError) in try DiagnosticPage(report: report).write(to: html) }
    } else if let export {
      let archive = try coreResult { () throws(MAMError) in try core.diagnostics.export(report, to: export) }
      try printResult(archive.jsonValue.jsonText + "\n")
    } else if json {
      try printResult(report.jsonValue.indentedText + "\n")
    } else {
      try printResult(TerminalReport(.standardOutput()).text(of: report))
    }
  }
}
