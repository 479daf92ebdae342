import ArgumentParser
import CGlibc
import Glibc
import JSON
import MAM
import Support

struct About: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "about",
    abstract: "Show what is linked into this program, with versions, licenses and notices.",
    discussion: """
      Prints a table of the works that are linked into the program, their notices, and the text of each license once. \
      The table names licenses by SPDX expressions. A release also names the day on which Debian changed the newest of its \
      libraries.

      Examples:

        # What is linked, and under which licenses
        mambridge about | less

        # The same for a program that reads it
        mambridge about --json | jq -r '.works[] | "\\(.name) \\(.version)"'
      """)

  @Flag(help: "Print one JSON object with version, newestLibraryDate and works (name, version, license, url, notice).")
  var json = false

  @OptionGroup var output: OutputOptions

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    throw ExitCode(
      reportingFailure {
        if json { try output.printDocument(Self.json) } else { try printResult(Self.text(on: output.terminal)) }
        return EXIT_SUCCESS
      })
  }

  static var json: JSONValue {
    [
      "version": .string(Mambridge.version), "newestLibraryDate": newestLibraryDate.map { .string($0) } ?? .null,
      "works": .array(LinkedWork.all.map(\.json)),
    ]
  }

  /// The best-known works in one line, for `--version`.
  static var summary: String {
    let known: Set = ["Swift", "OpenSSL", "SQLite", "jansson", "zlib", "glibc"]
    let works = LinkedWork.all.filter { known.contains($0.name) }.map { "\($0.name) \($0.version)" }
    return "Linked: \(works.joined(separator: ", ")); mambridge about lists all with their licenses"
  }

  /// The day on which Debian changed the newest of the libraries, such as "2026-10-21". `nil` if the build does not know.
  static let newestLibraryDate = date(cglibc_newest_library_day())

  /// The date of a number such as 20261021; `nil` for 0.
  static func date(_ day: Int) -> String? {
    guard day > 0 else { return nil }
    let digits = String(day)
    return "\(digits.prefix(4))-\(digits.dropFirst(4).prefix(2))-\(digits.suffix(2))"
  }

  static func text(on terminal: Terminal) -> String {
    let works = LinkedWork.all
    let rows = works.map { work in [work.name, work.version, work.license].map { DiagnosticSection.Text($0) } }
    let table = TableLayout(["WORK", "VERSION", "LICENSE"], rows, width: terminal.width)
    var lines = ["mambridge \(Mambridge.version)"]
    if let date = newestLibraryDate { lines.append("Newest library from Debian: \(date)") }
    lines += [""] + table.lines(terminal.styled)
    for work in works {
      lines += ["", terminal.styled("\(work.name), \(work.url)", .title), ""]
      lines += work.copyright.wrapped(to: terminal.width)
      if !work.notices.isEmpty { lines += ["", work.notices] }
    }
    var shown: Set<String> = []
    for license in works.flatMap(\.licenses) where shown.insert(license).inserted {
      lines += ["", terminal.styled(license, .title), "", LinkedWork.text(ofLicense: license)]
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
