import Glibc
import JSON
import TestSupport
import Testing

/// The owner that `files` accepts, and the line that each command ends with.
@Suite struct FilesSummaryTests {
  private static let alice = "alice@contoso.example"
  private let program = Program()

  init() throws {
    _ = try program.call("enrollmentManager.registerAndEnrollAccount", "account=\(Self.alice)")
    program.folder.write("Attack at dawn.", to: "inbox/plan")
    program.folder.write("Retreat at dusk.", to: "inbox/more/plan")
  }

  private func files(_ arguments: String..., input: String = "") throws -> Subprocess.Outcome {
    try Program.run(["files"] + arguments + program.options, input: input)
  }

  private func path(_ name: String) -> String { program.folder.file(name) }

  private func lastLine(_ outcome: Subprocess.Outcome) -> String {
    outcome.errors.split(separator: "\n").last.map(String.init) ?? ""
  }

  @Test(
    "files refuses an owner without a policy, says what to do and changes nothing",
    arguments: [
      ("alise@contoso.example", "Did you mean alice@contoso.example?"), ("nobody@x", "Enroll the account first"),
      ("bob@contoso.example", "--allow-plain"),
    ])
  func unmanagedOwner(_ account: String, _ hint: String) throws {
    for command in [["protect", path("inbox")], ["write", path("inbox/plan")]] {
      let outcome = try Program.run(["files"] + command + ["--account", account] + program.options, input: "new")
      #expect(outcome.status == 1)
      #expect(outcome.output == "")
      #expect(outcome.errors.contains("no policy applies to \(account)"))
      #expect(outcome.errors.contains(hint))
      #expect(outcome.errors.contains("nothing was changed"))
    }
    #expect(try files("cat", path("inbox/plan")).output == "Attack at dawn.")
    #expect(try JSONValue(parsing: files("info", path("inbox/plan")).output)["protectionInfo"] == .null)
  }

  @Test("files --allow-plain accepts an owner without a policy, and says that nothing is encrypted")
  func allowedPlain() throws {
    let protect = try files("protect", path("inbox"), "--account", "bob@contoso.example", "--allow-plain")
    #expect(protect.status == 0)
    #expect(protect.output == "")
    #expect(
      protect.errors == """
        mambridge: recorded bob@contoso.example as the owner of 2 files (31 bytes), NOT encrypted: no policy applies \
        to bob@contoso.example

        """)
    let info = try JSONValue(parsing: files("info", path("inbox/plan")).output)["protectionInfo"]
    #expect(info?["identity"] == "bob@contoso.example")
    #expect(info?["isEncrypted"] == false)
    let write = try files("write", path("new"), "--account", "bob@contoso.example", "--allow-plain", input: "new")
    #expect(write.status == 0)
    #expect(write.errors == "mambridge: wrote 3 bytes to \(path("new")): plain, for bob@contoso.example\n")
  }

  @Test("files protect with an empty --account removes the owner without --allow-plain")
  func noUser() throws {
    let outcome = try files("protect", path("inbox"), "--account", "")
    #expect(outcome.status == 0)
    #expect(outcome.errors == "mambridge: 2 files (31 bytes) now belong to no user and are plain\n")
  }

  @Test("files protect counts the files that it encrypted, decrypted or found already protected")
  func protect() throws {
    let (inbox, account) = (path("inbox"), ["--account", Self.alice])
    let first = try Program.run(["files", "protect", inbox] + account + program.options)
    #expect(first.status == 0)
    #expect(first.output == "")
    #expect(first.errors == "mambridge: encrypted 2 files (31 bytes) for \(Self.alice)\n")
    program.folder.write("Third.", to: "inbox/third")
    let second = try Program.run(["files", "protect", inbox] + account + program.options)
    #expect(
      second.errors == "mambridge: encrypted 1 file (6 bytes) for \(Self.alice); 2 files were protected already\n")
    let third = try Program.run(["files", "protect", inbox + "/third"] + account + program.options)
    #expect(third.errors == "mambridge: 1 file was protected already\n")
    #expect(lastLine(try files("protect", inbox, "--account", "")).hasSuffix("; 3 files were decrypted"))
    #expect(lastLine(try files("protect", path("gone"), "--account", Self.alice)) == "mambridge: no file was changed")
  }

  @Test("Every files command ends with a summary on standard error, unless --quiet is set")
  func lastLines() throws {
    let (plan, other) = (path("plan"), path("other"))
    let commands: [([String], String)] = [
      (["write", plan, "--account", Self.alice], "wrote 7 bytes to \(plan): encrypted, for \(Self.alice)"),
      (["write", other, "--account", ""], "wrote 7 bytes to \(other): plain, for no user"),
      (["cat", plan], "printed 7 bytes of \(plan)"),
      (["info", plan, other, path("inbox/plan")], "3 files: 1 encrypted, 1 plain with an owner, 1 without an owner"),
      (["check", plan, other], "checked 2 files: 1 whole, 1 not encrypted"),
      (["export", plan], "recovered all 7 bytes of \(plan)"),
      (["export", plan, "--output", path("copy")], "recovered all 7 bytes of \(plan) to \(path("copy"))"),
      (["protect", plan, "--account", Self.alice], "1 file was protected already"),
    ]
    for (command, line) in commands {
      let outcome = try Program.run(["files"] + command + program.options, input: "figures")
      #expect(outcome.status == 0, "\(command)")
      #expect(outcome.errors == "mambridge: \(line)\n", "\(command)")
    }
    for (command, _) in commands.filter({ $0.0.last != path("copy") }) {
      let outcome = try Program.run(["files"] + command + ["-q"] + program.options, input: "figures")
      #expect(outcome.status == 0, "\(command)")
      #expect(outcome.errors == "", "\(command)")
    }
  }

  @Test("files shows control characters in a file name as numbers such as U+1B")
  func controls() throws {
    let outcome = try files("write", path("\u{1B}[2J"), input: "text")
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("U+1B[2J"))
    #expect(!outcome.errors.contains("\u{1B}"))
  }

  @Test("files cat prints no error if the reader of its output stops early")
  func earlyEnd() throws {
    _ = try files("write", path("long"), input: String(repeating: "figures\n", count: 100_000))
    let script = "\"$0\" \"$@\" | head -n 1"
    let outcome = try Subprocess.run(
      "/bin/sh", ["-c", script, Program.path, "files", "cat", path("long")] + program.options)
    #expect(outcome == Subprocess.Outcome(status: 0, output: "figures\n", errors: ""))
  }
}
