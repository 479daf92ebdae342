import ArgumentParser
import Bridge
import Glibc
import JSON
import MAM
import Model
import Support

struct Diagnostics: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diagnostics",
    abstract: "Show what happened on this machine: accounts, policies, settings, launch checks, log.",
    discussion: """
      On a terminal the report has colors and fits the width; to a pipe or file it is plain text. NO_COLOR or \
      --color never turns colors off, and COLUMNS sets the width where there is no terminal.

      Every form except the export names the accounts, so share it only with people who may see those names. The export \
      replaces names, addresses, ids, paths and secrets.

      Examples:

        # Show the report
        mambridge diagnostics

        # Print a part of it
        mambridge diagnostics --json | jq .launch

        # Write it as a page for a browser
        mambridge diagnostics --html page.html

        # Pack it for somebody who may not see names
        mambridge diagnostics --export support.tar.gz
      """)

  @Flag(help: "Print the report as JSON.")
  var json = false

  @Option(
    help: "Write the report as one self-contained HTML page, replacing any existing file; print nothing.",
    completion: .file())
  var html: AbsolutePath?

  @Option(
    help: ArgumentHelp(
      "Write the log and the report, without personal data, to a new .tar.gz; print its path and size.",
      valueName: "file"), completion: .file())
  var export: AbsolutePath?

  @Option(
    help: """
      How many of the newest log lines to include, from 1 to 10000 (default: 20 in the printed report, otherwise 200).
      """)
  var lines: Int?

  @OptionGroup var output: OutputOptions
  @OptionGroup var core: CoreOptions

  func validate() throws {
    guard [json, html != nil, export != nil].count(where: { $0 }) <= 1 else {
      throw ValidationError("Use only one of --json, --html and --export.")
    }
    guard lines.map(LogLimit.range.contains) ?? true else { throw ValidationError("--lines must be from 1 to 10000.") }
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

  /// The printed report shows fewer log lines by default.
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
      try output.print(archive.jsonValue)
    } else if json {
      try output.printDocument(report.jsonValue)
    } else {
      try printResult(TerminalReport(output.terminal).text(of: report))
    }
  }
}
