import ArgumentParser
import Glibc
import JSON
import MAM
import Model
import Support
import Vault

struct CheckFiles: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check every page of files, and of all files below folders, and report the damage.",
    discussion: """
      Prints one line per finding, and then how much of the file can be read. A finding names a page by its number, \
      counted from 0, and by the range of bytes that it held; the end of a range is the first byte after it. Changes \
      nothing, and can run while other processes write. Exit code 1: something is damaged or cannot be read.

      The effect of a changed byte depends on its place in the encrypted file:

        first 8 bytes     The file is taken for a plain one and its content is
                          unreadable; check still recognizes it by its header.
        key id            There is no key for the file (error 5005), as for a file
                          of another device, another app or a wiped account.
        owner             The same, or error 5002: a file cannot be given to
                          another owner.
        rest of page 0    Error 5002: nothing can be read. Version, salt,
                          commitment and zeros are all checked.
        record            The length is lost, and `files cat` refuses the file.
                          `files export` recovers every page, with zeros at the end.
        page or its tag   Only this page is lost: 4064 bytes of the content.
        order of pages    Each page that is not where it was written is lost.
        foreign page      The page is lost, even if it comes from the same place
                          in another file of the same owner.
        truncation        The content after the cut is lost; the rest can be read.
        tail              Nothing is lost: bytes after the end are ignored. A
                          killed write leaves some.

      An older copy of the file, or of a page in its place, is not noticed.

      Examples:

        # Check all files of a folder
        mambridge files check inbox

        # Print the names of those that are damaged
        mambridge files check --json inbox | jq -r 'select(.state == "damaged").path'
      """)

  @OptionGroup var files: FilePaths

  @Flag(
    help: "Print a line of JSON for each file: path, state, size, readable, damage, tail; or path, state, error.")
  var json = false

  @OptionGroup var output: OutputOptions
  @OptionGroup var core: CoreOptions

  func run() throws { throw ExitCode(LongWork(isQuiet: core.quiet).run(on: core.arguments, check)) }

  private func check(_ core: Core, _ work: WorkControl) throws -> LongWork.Outcome {
    let findings = FileFindings(json ? output : nil, work)
    let code = files.forEach(work) { path throws(MAMError) in
      do throws(MAMError) {
        try core.files.check(path, found: findings.add, failed: findings.add)
      } catch {
        if error.code == .cancelled { throw error }
        findings.add(error)
      }
    }
    try findings.finish()
    return LongWork.Outcome(exitCode: findings.areGood ? code : EXIT_FAILURE, summary: findings.summary)
  }
}

/// Prints findings as they come, and records whether all files were whole.
private final class FileFindings {
  private(set) var areGood = true
  /// How JSON is printed; `nil` for text.
  private let json: OutputOptions?
  private let work: WorkControl
  private var failure: (any Error)?
  private var (whole, damaged, plain, unreadable) = (0, 0, 0, 0)

  init(_ json: OutputOptions?, _ work: WorkControl) {
    (self.json, self.work) = (json, work)
  }

  /// For example `checked 3 files: 2 whole, 1 damaged`.
  var summary: String {
    let counts = [(whole, "whole"), (damaged, "damaged"), (unreadable, "unreadable"), (plain, "not encrypted")]
    let parts = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    let total = whole + damaged + unreadable + plain
    return "checked \(total.files)" + (parts.isEmpty ? "" : ": ") + parts.joined(separator: ", ")
  }

  func add(_ check: FileCheck) {
    let report = FileReport(check: check)
    if !report.isWhole { areGood = false }
    if !check.isEncrypted { plain += 1 } else if report.isWhole { whole += 1 } else { damaged += 1 }
    print(json.map { [$0.text(of: report.json)] } ?? report.lines)
  }

  /// An error about the content is a finding and goes to stdout. Any other error goes to stderr.
  func add(_ error: MAMError) {
    areGood = false
    unreadable += 1
    if let json { return print([json.text(of: error.json)]) }
    work.clearLine()
    guard let path = error.path, [.fileDamaged, .noFileKey].contains(error.code) else { return error.print() }
    print(["\(path): DAMAGED: nothing can be read: error \(error.code.number), \(error.description)"])
  }

  /// Throws if output failed.
  func finish() throws {
    if let failure { throw failure }
  }

  private func print(_ lines: [String]) {
    guard failure == nil else { return }
    work.clearLine()
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
