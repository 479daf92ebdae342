import Archive
import Glibc
import JSON
import Model
import Support

extension Core {
  /// Packs a report and the log into a new .tar.gz, without secrets and personal data. Refuses a path in the state
  /// folder, and one where something is. Commit point: the moment in which the archive gets its name.
  package func exportDiagnostics(
    _ report: DiagnosticReport, to path: AbsolutePath
  ) throws(MAMError) -> ExportedDiagnostics {
    let services = try refresh()
    try checkOutsideState(path)
    let location = try FileLocation(path)
    guard try location.status() == nil else { throw .exportExists(path.text) }
    let scrubber = services.log.exportScrubber(names: tenantNames, keeping: policyIds(in: report))
    let logs = try services.log.folder.openForReading()
    let export = DiagnosticExport(report: report, logs: logs, scrubber: scrubber, time: now)
    do throws(MAMError) {
      return ExportedDiagnostics(path: path, size: try export.write(to: location))
    } catch {
      throw error.fault?.number == EEXIST ? .exportExists(path.text) : error
    }
  }

  /// What the policy source calls the users of the registered accounts. The addresses and ids of others are found by
  /// their looks.
  private var tenantNames: [String] {
    guard let tenant = try? configuration.tenant.read().get() else { return [] }
    let users = state.accounts.compactMap { $0.reference.flatMap(tenant.user) }
    return users.flatMap { [$0.id, $0.userPrincipalName, $0.displayName, $0.mail].compactMap { $0 } }
  }

  private func policyIds(in report: DiagnosticReport) -> Set<String> {
    Set(
      report.accounts.flatMap { account in
        account.status.policies.map(\.id) + (account.policy?.policies.map(\.id) ?? [])
      })
  }
}

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
    do throws(MAMError) {
      try pack(into: &file, progress)
      try file.appear()
    } catch {
      file.abandon()
      throw error
    }
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
        entry.category = LogCategory(scrubber.text(entry.category.name))
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
        JSONObject(source.members.map { ($0.name, scrubber.hidden($0.value)) })
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

    Before packing, names and ids of users, mail addresses, paths, values of app configuration, and whatever looks like
    a PIN, a key or a token were replaced. <user:3fa1c2d4> stands for one user all over the archive. What a program
    wrote into the log in words of its own was searched for the same, which is no proof: look before you pass it on.

    """
}

extension LogFile {
  fileprivate var name: String { path.split(separator: "/").last.map(String.init) ?? "intune.log" }
}

extension MAMError {
  fileprivate static func exportExists(_ path: String) -> MAMError {
    MAMError(
      .fileUnavailable, "there is a file of this name already; it is left alone",
      hint: "Choose another path, or remove the file", path: path, fault: FileFault(number: EEXIST))
  }

  fileprivate static func packing<Result>(_ body: () throws(ArchiveError) -> Result) throws(MAMError) -> Result {
    do throws(ArchiveError) {
      return try body()
    } catch {
      throw MAMError(
        .fileUnavailable, "there is no memory to pack with", hint: "Call again", fault: FileFault(number: ENOMEM))
    }
  }
}
