import ArgumentParser
import Glibc
import JSON
import MAM
import Model
import Vault

struct CheckFiles: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Look at every page of files, and of every file below folders, and name what is damaged.",
    discussion: """
      One line for each finding, a page by its number from 0 and by the bytes of the text that it held (the second \
      number is the first byte behind them); then what can be read. Changes nothing, and may run beside writers. Exit \
      code 1: something is damaged, or could not be read. What changed bytes of an encrypted file do, by their place:

        first 8 bytes      The file counts as a plain one. It cannot be read; check still knows it by its header.
        key id             There is no key for it (error 5005), as for a file of another device, app or wiped account.
        owner              The same, or error 5002: a file cannot be given to somebody else.
        rest of page 0     Error 5002: nothing can be read. Version, salt, commitment and zeros are all checked.
        record             The length is lost, and cat refuses. export recovers every page, with zeros at the end.
        page, or its tag   This page alone is lost: 4064 bytes of the text.
        order of pages     Each page that does not stand where it was written is lost.
        page of another    It is lost, also when it comes from a file of the same owner and from the same place.
        truncation         What stood behind is lost, the rest can be read.
        tail               Nothing: bytes behind the end do not count. A killed write leaves some.

      Not noticed is an older copy: of the file, or of a page that was written in its place.
      """)

  @OptionGroup var files: FilePaths

  @Flag(help: "One JSON object a line for each file: path, state, size, readable, damage, tail; or path and error.")
  var json = false

  @OptionGroup var core: CoreOptions

  func run() throws {
    Mambridge.prepareProcess()
    signal(SIGPIPE, SIG_IGN)
    throw ExitCode(
      reportingFailure {
        let findings = FileFindings(asJSON: json)
        let core = try core.arguments.makeCore()
        defer { core.end() }
        let code = files.forEach { path throws(MAMError) in
          do throws(MAMError) {
            try core.files.check(path, found: findings.add, failed: findings.add)
          } catch {
            findings.add(error)
          }
        }
        try findings.finish()
        return findings.areGood ? code : EXIT_FAILURE
      })
  }
}

/// Prints findings as they come, and knows whether all was well.
private final class FileFindings {
  private(set) var areGood = true
  private let isJSON: Bool
  private var failure: (any Error)?

  init(asJSON: Bool) {
    isJSON = asJSON
  }

  func add(_ check: FileCheck) {
    let report = FileReport(check: check)
    if !report.isWhole { areGood = false }
    print(isJSON ? [report.json.jsonText] : report.lines)
  }

  /// What says something about the content is a finding, all else is a word about the command.
  func add(_ error: MAMError) {
    areGood = false
    if isJSON { return print([error.json.jsonText]) }
    guard let path = error.path, [.fileDamaged, .noFileKey].contains(error.code) else { return error.print() }
    print(["\(path): DAMAGED: nothing can be read: error \(error.code.number), \(error.description)"])
  }

  /// Tells that output failed.
  func finish() throws {
    if let failure { throw failure }
  }

  private func print(_ lines: [String]) {
    guard failure == nil else { return }
    do { try printResult(lines.map { $0 + "\n" }.joined()) } catch { failure = error }
  }
}

extension MAMError {
  fileprivate var json: JSONValue {
    var error: JSONObject = [
      "code": .integer(Int64(code.number)), "name": .string(code.name), "message": .string(message),
    ]
    if let hint { error["hint"] = .string(hint) }
    return ["path": path.map(JSONValue.string) ?? .null, "state": "unreadable", "error": .object(error)]
  }
}
