import Archive
import Glibc
import JSON
import Model
import Support
import Vault

/// The content of an export.
struct DiagnosticExport {
  private static let folder = "mambridge-diagnostics/"
  private static let pieceSize = 256 << 10

  let report: DiagnosticReport
  let logs: [LogFile]
  let scrubber: ExportScrubber
  let time: Timestamp

  /// Its size.
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

  /// Damaged and foreign lines are left out: what is in them is not known.
  private func scrubbedLines(of log: LogFile, _ progress: FileProgress) throws(MAMError) -> [UInt8] {
    var lines: [UInt8] = []
    var failure: MAMError?
    let filter = LogFilter(LogQuery())
    _ = LogReader.forEachLine(of: log, backwards: false) { line in
      if let found = filter.match(line), var entry = LogEntry(line: found) {
        entry.message = scrubber.text(entry.message)
        entry.category = LogCategory(scrubber.category(entry.category.name))
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
    else { throw MAMError(.damaged, "the report cannot be read back without what was taken out of it") }
    return result
  }

  private static let readme = """
    Diagnostics of an application that uses mambridge.

    report.html  the state of the application, for people: open it in a browser
    report.json  the same, for programs: versions, accounts, policies in effect, settings, launch checks
    logs/        the diagnostics log, a JSON object a line; intune.log is newer than intune.1.log

    The following was replaced before packing. The same name or id has the same pseudonym, such as <user:3fa1c2d4>,
    throughout the archive; *** hides a value completely.

    \(SecretKind.allCases.map { "- " + $0.summary }.joined(separator: "\n"))
    - values of app configuration, and of the keys that ValuesToScrubFromLogging names
    - categories of log lines that are not plain names

    Text that a program wrote into the log was searched for all of these by their looks. The search cannot find
    everything. The following may still be in the archive:

    - names of people, places and customers that mambridge does not know
    - secrets that no known word introduces, and all but the first word of a secret of several words without quotes
    - phone numbers in an unusual notation, other numbers of people such as tax numbers, and dates of birth
    - relative paths of one folder and a name without extension
    - host names, and the paths of web addresses
    - numbers that are split over several lines

    Read the archive before you pass it on.

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
        .fileUnavailable, "there is no memory to pack with", hint: "Call again", fault: FileFault(number: ENOMEM))
    }
  }
}
