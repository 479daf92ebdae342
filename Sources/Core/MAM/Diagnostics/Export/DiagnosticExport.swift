import Archive
import Glibc
import JSON
import Model
import Support
import Vault

/// The content of an exported archive.
struct DiagnosticExport {
  private static let folder = "mambridge-diagnostics/"
  private static let pieceSize = 256 << 10

  let report: DiagnosticReport
  let logs: [LogFile]
  let scrubber: ExportScrubber
  let time: Timestamp
  var hostLogs: HostLogs?
  var crashes: [CrashFolder.Trace] = []

  /// Returns the size of the archive.
  func write(to location: FileLocation) throws(MAMError) -> Int {
    let progress = FileProgress(total: logs.reduce(1) { $0 + $1.status.size })
    var file = try WholeFile(location)
    try pack(into: &file, progress)
    try file.appear()
    progress.end()
    return file.size
  }

  private func pack(into file: inout WholeFile, _ progress: FileProgress) throws(MAMError) {
    let report = try scrubbedReport()
    let archive = try MAMError.packing { () throws(ArchiveError) in try TarGzip(time: time) }
    try add("README.txt", Array(Self.readme.utf8), to: archive, &file)
    try add("report.json", Array((report.jsonValue.indentedText + "\n").utf8), to: archive, &file)
    try add("report.html", DiagnosticPage(report: report).bytes, to: archive, &file)
    for log in logs {
      try add("logs/\(log.name)", try scrubbedLines(of: log, progress), to: archive, &file)
    }
    for crash in crashes { try add("crashes/\(crash.name)", crash.bytes, to: archive, &file) }
    try hostLogs?.forEach { name, content throws(MAMError) in try add(name, content, to: archive, &file) }
    try file.append(archive.finish())
  }

  private func add(
    _ name: String, _ content: [UInt8], to archive: TarGzip, _ file: inout WholeFile
  ) throws(MAMError) {
    try file.append(archive.begin(Self.folder + name, size: content.count))
    for start in stride(from: 0, to: content.count, by: Self.pieceSize) {
      try file.append(archive.add(content[start..<min(start + Self.pieceSize, content.count)]))
    }
    try file.append(archive.end(size: content.count))
  }

  /// Leaves out damaged and foreign lines, because nobody knows what they contain.
  private func scrubbedLines(of log: LogFile, _ progress: FileProgress) throws(MAMError) -> [UInt8] {
    var lines: [UInt8] = []
    var failure: MAMError?
    let filter = LogFilter(LogQuery())
    _ = LogReader.forEachLine(of: log, backwards: false) { line in
      if let found = filter.match(line), var entry = LogEntry(line: found) {
        entry.message = scrubber.text(entry.message)
        entry.category = LogCategory(scrubber.category(entry.category.name))
        if let id = entry.cause?.id.stringValue { entry.cause?.id = .string(scrubber.text(id)) }
        lines += LogLine.bytes(of: entry)
      }
      do throws(MAMError) {
        try progress.advance(by: line.count + 1)
        return true
      } catch {
        failure = error
        return false
      }
    }
    if let failure { throw failure }
    return lines
  }

  private func scrubbedReport() throws(MAMError) -> DiagnosticReport {
    var report = report
    for index in report.accounts.indices {
      report.accounts[index].appConfig = report.accounts[index].appConfig.map { source in
        JSONObject(source.members.map { ($0.name, scrubber.hidden($0.value, of: $0.name)) })
      }
    }
    let scrubbed = scrubber.value(report.jsonValue).jsonText
    guard let document = try? JSONDocument(parsing: scrubbed), let result = try? DiagnosticReport.decode(document.root)
    else { throw MAMError(.damaged, "the report cannot be read back after its secrets were removed") }
    return result
  }

  private static let readme = """
    Diagnostics of an app that uses mambridge.

    report.html  the state of the app, for people: open it in a browser
    report.json  the same state, for programs: versions, accounts, policies in effect, settings, launch checks
    logs/        the diagnostics log, one JSON object per line; intune.log is newer than intune.1.log
    crashes/     what signals have ended the program, if any did: the build, addresses of its code, names of methods
    host/        the app's own logs, as the app gave them, if they were asked for; nothing in them was replaced

    The following was replaced before packing. A name or id has the same pseudonym, such as <user:3fa1c2d4>,
    throughout the archive; *** hides a value completely.

    \(SecretKind.allCases.map { "- " + $0.summary }.joined(separator: "\n"))
    - values of app configuration, and of the keys that ValuesToScrubFromLogging names
    - log categories that are not plain names

    Text that the app wrote to the log was searched for patterns of all of these. No search finds everything, so
    the archive may still contain:

    - names of people, places and customers that mambridge does not know
    - secrets without a known word before them, and all but the first word of an unquoted secret of several words
    - phone numbers in an unusual notation, other personal numbers such as tax numbers, and dates of birth
    - relative paths that consist of one folder and a name without an extension
    - host names, and the paths of web addresses
    - numbers that are split across lines

    Read the archive before you share it.

    """
}

extension LogFile {
  fileprivate var name: String { path.split(separator: "/").last.map(String.init) ?? "intune.log" }
}

extension MAMError {
  fileprivate static func packing<Result>(_ body: () throws(ArchiveError) -> Result) throws(MAMError) -> Result {
    do throws(ArchiveError) {
      return try body()
    } catch {
      throw MAMError(
        .fileUnavailable, "there is not enough memory to pack the archive", hint: "Call again",
        fault: FileFault(number: ENOMEM))
    }
  }
}
