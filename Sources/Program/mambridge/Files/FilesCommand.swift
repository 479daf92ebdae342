import ArgumentParser
import JSON
import MAM
import Model
import Support
import Vault

struct Files: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "files",
    abstract: "Work with protected files from a shell, under the app's policies.",
    discussion: """
      The app named by --app-id may read and protect exactly what it may over the wire. Content and findings go to \
      stdout. Progress, messages and a last line that says what was done go to stderr; --quiet leaves out the progress \
      and the last line.

      Exit codes: 1 something failed or is damaged, and the other paths were still processed; 130 stopped by Ctrl-C.
      """,
    subcommands: [
      CheckFiles.self, ExportFile.self, ProtectFiles.self, CatFile.self, WriteFile.self, FilesInfo.self,
    ])
}

extension AbsolutePath: ExpressibleByArgument {
  /// Resolves the path against the current folder and drops components that lead nowhere. `nil` if it is empty.
  package init?(argument: String) {
    guard !argument.isEmpty else { return nil }
    let parts = argument.absolutePath.split(separator: "/").filter { $0 != "." }
    self.init("/" + parts.joined(separator: "/"))
  }
}

/// The files and folders that a command works on, in order.
struct FilePaths: ParsableArguments {
  @Argument(help: ArgumentHelp("Files and folders.", valueName: "path"), completion: .file())
  var paths: [AbsolutePath]

  /// Runs `body` for each path and returns the exit code. Reports each failure on stderr and goes on with the next
  /// path, unless the work was stopped.
  func forEach(_ work: WorkControl, _ body: (AbsolutePath) throws(MAMError) -> Void) -> Int32 {
    var code: Int32 = 0
    for path in paths where !work.isStopped {
      do throws(MAMError) {
        try body(path)
      } catch {
        code = 1
        work.report(error)
      }
    }
    return code
  }
}

extension MAMError {
  /// Prints the error to stderr, and before it one line for each file of a folder that failed.
  func print() {
    for failure in failures {
      printError("mambridge: error \(failure.code.number), \(failure.message) (\(failure.path))")
    }
    printError("mambridge: \(line)")
  }
}

/// The report of `files check` on one file, as text or as JSON.
struct FileReport {
  let check: FileCheck

  var isWhole: Bool { check.damage.isEmpty }

  var lines: [String] {
    guard check.isEncrypted else { return ["\(check.path): not encrypted: nothing to check"] }
    var lines = check.damage.map { "\(check.path): DAMAGED: \($0.text)" }
    lines.append("\(check.path): \(summary)")
    if check.tail > 0 {
      lines.append("\(check.path): \(check.tail) bytes after the end are ignored; the next write removes them")
    }
    return lines
  }

  private var summary: String {
    isWhole ? "whole, \(check.length) bytes" : "\(check.readable) of \(check.length) bytes can be read"
  }

  var json: JSONValue {
    [
      "path": .string(check.path), "state": .string(check.isEncrypted ? isWhole ? "whole" : "damaged" : "plain"),
      "size": .integer(Int64(clamping: check.length)), "readable": .integer(Int64(clamping: check.readable)),
      "damage": .array(check.damage.map(\.json)), "tail": .integer(Int64(check.tail)),
    ]
  }
}

extension FileDamage {
  var text: String {
    switch self {
    case .record: "the record: the length of the content is unknown; its pages are still there"
    case .pages(let pages, let bytes):
      pages.count == 1
        ? "page \(pages.lowerBound): bytes \(bytes.words) are lost"
        : "pages \(pages.lowerBound) to \(pages.upperBound): bytes \(bytes.words) are lost"
    case .end(let page, let bytes): "cut off at page \(page): bytes \(bytes.words) are lost"
    }
  }

  fileprivate var json: JSONValue {
    switch self {
    case .record: ["kind": "record"]
    case .pages(let pages, let bytes):
      ["kind": "pages", "pages": [pages.lowerBound.json, pages.upperBound.json], "range": bytes.json]
    case .end(let page, let bytes): ["kind": "end", "pages": [page.json, .null], "range": bytes.json]
    }
  }
}

extension Range<UInt64> {
  /// The upper bound is the first byte after the range, as in error messages.
  fileprivate var words: String { "\(lowerBound) to \(upperBound)" }
  fileprivate var json: JSONValue { [lowerBound.json, upperBound.json] }
}

extension UInt64 {
  fileprivate var json: JSONValue { .integer(Int64(clamping: self)) }
}
