import Glibc
import JSON
import TestSupport
import Testing

@Suite struct DiagnosticsCommandTests {
  private let program = Program()

  init() throws {
    _ = try program.call("enrollmentManager.registerAndEnrollAccount", "account=alice@contoso.example")
  }

  private func diagnostics(_ arguments: String...) throws -> Subprocess.Outcome {
    try Program.run(["diagnostics"] + program.options + arguments)
  }

  /// On a terminal of that many columns.
  private func shown(columns: Int, _ environment: String = "") throws -> String {
    let command = ([Program.path, "diagnostics"] + program.options).map { "'\($0)'" }.joined(separator: " ")
    let script = "stty cols \(columns); unset NO_COLOR; \(environment) \(command)"
    return try Subprocess.run("/usr/bin/script", ["-qec", script, "/dev/null"], environment: ["TERM": "xterm"]).output
  }

  private static let sections = [
    "OVERVIEW", "LAST CHECK-INS", "ACCOUNTS AND POLICIES", "LAUNCH CHECKS", "IDENTITIES", "SETTINGS", "DEVICE",
    "DIAGNOSTICS LOG",
  ]

  @Test("In a pipe, diagnostics prints plain text: accounts, policies, setting sources and the log")
  func piped() throws {
    let outcome = try diagnostics("--set", "MultiIdentity=true")
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    let places = Self.sections.compactMap { section in outcome.lines.firstIndex { $0.hasPrefix(section) } }
    #expect(places.count == Self.sections.count)
    #expect(places == places.sorted())
    for text in ["alice@contoso.example", "newPoliciesReceived (100)", "MultiIdentity", "flag", "SDK setting", "File"] {
      #expect(outcome.output.contains(text), "\(text)")
    }
    #expect(!outcome.output.contains("\u{1B}"))
    #expect(outcome.output.utf8.allSatisfy { $0 >= 0x20 || $0 == 10 })
  }

  @Test("diagnostics fits the width of the terminal, or COLUMNS in a pipe", arguments: [24, 40, 80, 132])
  func width(_ columns: Int) throws {
    let script = "export COLUMNS=\(columns); exec \"$0\" \"$@\""
    let piped = try Subprocess.run("/bin/sh", ["-c", script, Program.path, "diagnostics"] + program.options).output
    let shown = try shown(columns: columns, "NO_COLOR=1").filter { $0 != "\r" }.replacing("\r\n", with: "\n")
    for text in [piped, shown] {
      let widths = text.split(whereSeparator: \.isNewline).map(\.count)
      #expect(widths.max() ?? 0 <= columns)
      #expect(widths.max() ?? 0 > columns / 2)
      #expect(text.contains("OVERVIEW"))
    }
  }

  @Test("diagnostics uses colors only on a terminal, and not with NO_COLOR or TERM=dumb")
  func colors() throws {
    #expect(try shown(columns: 80).contains("\u{1B}[32m"))
    for environment in ["NO_COLOR=1", "TERM=dumb"] {
      #expect(try !shown(columns: 80, environment).contains("\u{1B}"))
    }
  }

  @Test("diagnostics --json prints the report as JSON")
  func json() throws {
    let report = try JSONValue(parsing: diagnostics("--json", "--lines", "1").output)
    #expect(report["information"]?["accounts"]?.arrayValue?.count == 1)
    #expect(report["log"]?.arrayValue?.count == 1)
    #expect(report["launch"]?["verdict"] == "block")
    #expect(report["launch"]?["reasons"]?.arrayValue?.map { $0["setting"] } == ["pinRequired"])
    #expect(report["settings"]?["MultiIdentity"]?["source"] == "default")
  }

  @Test("diagnostics --html replaces the file with a page that only its owner can read")
  func html() throws {
    let path = program.folder.write("old", to: "page.html")
    let outcome = try diagnostics("--html", path)
    #expect(outcome.status == 0)
    #expect(outcome.output == "")
    #expect(outcome.errors == "")
    var status = stat()
    #expect(stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    #expect(String(decoding: readFile(path) ?? [], as: UTF8.self).contains("alice@contoso.example"))
    let inside = try diagnostics("--html", program.state + "/page.html")
    #expect(inside.status == 1)
    #expect(inside.errors.contains("5007"))
  }

  @Test("diagnostics --export writes an archive that tar can read, and replaces no existing file")
  func export() throws {
    let path = program.folder.file("support.tar.gz")
    let result = try JSONValue(parsing: diagnostics("--export", path).output)
    #expect(result["path"] == .string(path))
    #expect(result["size"]?.integerValue ?? 0 > 1000)
    let list = try Subprocess.run("/bin/tar", ["-tzf", path]).output
    #expect(list.contains("mambridge-diagnostics/report.json"))
    let again = try diagnostics("--export", path)
    #expect(again.status == 1)
    #expect(again.output == "")
    #expect(again.errors.contains("a file with this name already exists"))
  }

  @Test(
    "diagnostics exits with 64 if the command line is wrong",
    arguments: [["--json", "--html", "x"], ["--lines", "0"], ["--lines", "10001"], ["--export"], ["more"]])
  func usage(_ arguments: [String]) throws {
    let outcome = try Program.run(["diagnostics"] + program.options + arguments)
    #expect(outcome.status == 64)
    #expect(outcome.output == "")
    #expect(!outcome.errors.isEmpty)
  }

  @Test("diagnostics shows control characters as numbers such as U+1B, on a terminal and in a pipe")
  func controls() throws {
    _ = try program.call("diagnosticsLog.write", #"{"level": "error", "message": "\u001b[2J\u202eevil"}"#)
    #expect(try diagnostics().output.contains("U+1B[2JU+202Eevil"))
    #expect(try !shown(columns: 80, "NO_COLOR=1").contains("\u{1B}"))
  }
}
