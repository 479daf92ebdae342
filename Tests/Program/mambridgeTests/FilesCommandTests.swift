import Glibc
import JSON
import TestSupport
import Testing

@testable import mambridge

@Suite struct FilesCommandTests {
  private static let alice = "alice@contoso.example"
  private static let text = String(repeating: "Quarterly figures of the north. ", count: 1024)
  private static let pageSize = 4096
  private static let dataSize = 4064
  let program = Program()

  init() throws {
    _ = try program.call("enrollmentManager.registerAndEnrollAccount", "account=\(Self.alice)")
  }

  /// Without the last line, so that standard error has only what went wrong.
  private func files(_ arguments: String..., input: String = "") throws -> Subprocess.Outcome {
    try files(arguments, input: input)
  }

  private func files(_ arguments: [String], input: String = "") throws -> Subprocess.Outcome {
    try Program.run(["files"] + arguments + ["--quiet"] + program.options, input: input)
  }

  private func path(_ name: String) -> String { program.folder.file(name) }

  /// Writes an encrypted file, and what it then looks like on the disk is changed.
  private func document(_ name: String = "plan", _ change: (inout [UInt8]) -> Void = { _ in }) throws -> String {
    #expect(try files("write", path(name), input: Self.text) == Subprocess.Outcome(status: 0, output: "", errors: ""))
    var bytes = try #require(readFile(path(name)))
    change(&bytes)
    overwrite(path(name), bytes)
    return path(name)
  }

  private func overwrite(_ path: String, _ bytes: [UInt8]) {
    let descriptor = open(path, O_WRONLY | O_TRUNC)
    defer { close(descriptor) }
    _ = write(descriptor, bytes, bytes.count)
  }

  /// All that is in the folder, what is hidden too.
  private func names() throws -> [String] { try Subprocess.run("/bin/ls", ["-A", program.folder.path]).lines }

  @Test("files write encrypts its input for the owner, and files cat prints the input again")
  func writeAndShow() throws {
    let plan = try document()
    #expect(readFile(plan)?.starts(with: [0x89, 0x4D, 0x41, 0x4D, 0x46]) == true)
    #expect(try files("cat", plan) == Subprocess.Outcome(status: 0, output: Self.text, errors: ""))
    let info = try JSONValue(parsing: files("info", plan).output)
    #expect(info["path"] == .string(plan))
    #expect(info["protectionInfo"]?["identity"] == .string(Self.alice))
    #expect(info["protectionInfo"]?["isEncrypted"] == true)
    #expect(try files("check", plan).output == "\(plan): whole, \(Self.text.utf8.count) bytes\n")
  }

  @Test("files write keeps the mode of an existing file, updates its time and sets its owner")
  func writeAgain() throws {
    let plan = try document()
    chmod(plan, 0o640)
    utimes(plan, [timeval(tv_sec: 1, tv_usec: 0), timeval(tv_sec: 1, tv_usec: 0)])
    #expect(try files("write", plan, "--account", "", input: "short\n").status == 0)
    var status = stat()
    stat(plan, &status)
    #expect(status.st_mode & 0o777 == 0o640)
    #expect(status.st_mtim.tv_sec > 1)
    #expect(readFile(plan) == Array("short\n".utf8))
    #expect(try JSONValue(parsing: files("info", plan).output)["protectionInfo"]?["identity"] == "")
  }

  @Test("files write keeps the old content and leaves no temporary file if it is killed")
  func killedWrite() throws {
    let plan = try document()
    let writer = try Subprocess(Program.path, ["files", "write", plan] + program.options)
    writer.write(String(repeating: "new", count: 300_000))
    writer.send(signal: SIGKILL)
    #expect(try writer.wait().status == -SIGKILL)
    #expect(try files("cat", plan).output == Self.text)
    #expect(try names() == ["plan", "state"])
  }

  @Test("files write fails with error 5003 if another process has the file open for writing")
  func writeInUse() throws {
    let plan = try document()
    let descriptor = open(plan, O_RDWR)
    defer { close(descriptor) }
    let outcome = try files("write", plan, input: "new")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("5003"))
    #expect(try names() == ["plan", "state"])
    close(descriptor)
    #expect(try files("cat", plan).output == Self.text)
  }

  @Test("files check lists damaged pages, counts the readable bytes and exits with 1")
  func damagedPages() throws {
    let plan = try document { bytes in
      for page in [2, 3, 5] { bytes[(page + 1) * Self.pageSize + 100] ^= 1 }
    }
    let outcome = try files("check", plan)
    let readable = Self.text.utf8.count - 3 * Self.dataSize
    #expect(outcome.status == 1)
    #expect(outcome.errors == "")
    #expect(
      outcome.lines == [
        "\(plan): DAMAGED: pages 2 to 3: bytes \(2 * Self.dataSize) to \(4 * Self.dataSize) are lost",
        "\(plan): DAMAGED: page 5: bytes \(5 * Self.dataSize) to \(6 * Self.dataSize) are lost",
        "\(plan): \(readable) of \(Self.text.utf8.count) bytes can be read",
      ])
    let json = try JSONValue(parsing: files("check", "--json", plan).output)
    #expect(json["state"] == "damaged")
    #expect(json["readable"] == .integer(Int64(readable)))
    #expect(json["damage"]?.arrayValue?.map { $0["pages"] } == [[2, 3], [5, 5]])
  }

  /// One for each class of tampering.
  struct Tampering: Sendable {
    let name: String
    let change: @Sendable (inout [UInt8]) -> Void
    /// What `check` says of it, and its exit code.
    let finding: String
    var status: Int32 = 1
    /// How many bytes can be recovered; nil where none can.
    var recovered: Int?
  }

  private static let tamperings = [
    Tampering(name: "magic", change: { $0[3] ^= 1 }, finding: "the beginning of the encrypted file is damaged"),
    Tampering(name: "version", change: { $0[8] ^= 1 }, finding: "the header of the encrypted file is damaged"),
    Tampering(name: "salt", change: { $0[40] ^= 1 }, finding: "the header of the encrypted file is damaged"),
    Tampering(name: "key id", change: { $0[16] ^= 1 }, finding: "error 5005"),
    Tampering(name: "owner", change: { $0[101] ^= 1 }, finding: "error 5005"),
    Tampering(
      name: "record", change: { $0[2100] ^= 1 }, finding: "the record",
      recovered: (text.utf8.count + dataSize - 1) / dataSize * dataSize),
    Tampering(
      name: "page", change: { $0[pageSize + 500] ^= 1 }, finding: "page 0", recovered: text.utf8.count - dataSize),
    Tampering(
      name: "tag", change: { $0[2 * pageSize - 1] ^= 1 }, finding: "page 0", recovered: text.utf8.count - dataSize),
    Tampering(
      name: "order",
      change: { bytes in
        let (one, two) = (Array(bytes[pageSize..<2 * pageSize]), Array(bytes[2 * pageSize..<3 * pageSize]))
        bytes.replaceSubrange(pageSize..<3 * pageSize, with: two + one)
      }, finding: "pages 0 to 1", recovered: text.utf8.count - 2 * dataSize),
    Tampering(
      name: "truncation", change: { $0.removeLast($0.count - 3 * pageSize) }, finding: "cut off at page 2",
      recovered: 2 * dataSize),
    Tampering(
      name: "tail", change: { $0 += Array("tail".utf8) }, finding: "4 bytes after the end are ignored", status: 0,
      recovered: text.utf8.count),
  ]

  @Test("files check finds each kind of tampering, and files export recovers the rest", arguments: tamperings)
  func tampering(_ tampering: Tampering) throws {
    let plan = try document("plan", tampering.change)
    let check = try files("check", plan)
    #expect(check.status == tampering.status, "\(check)")
    #expect(check.output.contains(tampering.finding), "\(check)")
    let export = try files("export", "--skip", plan)
    #expect(export.status == tampering.status)
    #expect(export.output.utf8.count == tampering.recovered ?? 0)
    #expect(export.errors.isEmpty == (tampering.status == 0))
  }

  @Test("files check reports a page copied from another file of the same owner as damaged")
  func foreignPage() throws {
    let other = try #require(readFile(document("other")))
    let range = 3 * Self.pageSize..<4 * Self.pageSize
    let plan = try document { $0.replaceSubrange(range, with: other[range]) }
    #expect(try files("check", plan).output.contains("DAMAGED: page 2:"))
  }

  @Test("Text for a terminal may have tabs and line ends, but no other control characters")
  func controlCharacters() {
    #expect(ContentOutput.isText(Array("a\tb\r\n é~".utf8)))
    for byte: UInt8 in [0, 7, 8, 0x1B, 0x1F, 0x7F] { #expect(!ContentOutput.isText([0x61, byte, 0x62]), "\(byte)") }
  }

  @Test("files export replaces a damaged page by zeros; files cat fails on a damaged file")
  func export() throws {
    let plan = try document { $0[2 * Self.pageSize + 7] ^= 1 }
    let lost = Self.dataSize..<2 * Self.dataSize
    var expected = Array(Self.text.utf8)
    expected.replaceSubrange(lost, with: [UInt8](repeating: 0, count: lost.count))
    let export = try files("export", plan)
    #expect(export.status == 1)
    #expect(Array(export.output.utf8) == expected)
    #expect(export.errors == "mambridge: \(plan): page 1: bytes 4064 to 8128 are lost\n")
    #expect(try files("export", plan, "--output", path("new")).status == 1)
    #expect(Array(try files("cat", path("new")).output.utf8) == expected)
    #expect(try JSONValue(parsing: files("info", path("new")).output)["protectionInfo"]?["isEncrypted"] == true)
    let again = try files("export", plan, "--output", path("new"))
    #expect(again.status == 1)
    #expect(again.errors.contains("5001"))
    #expect(again.errors.contains("exists"))
    let cat = try files("cat", plan)
    #expect(cat.status == 1)
    #expect(cat.errors.contains("5002"))
  }

  @Test("files protect names each file of a folder that fails; files check checks a whole folder")
  func folders() throws {
    for name in ["a", "b/c"] { program.folder.write(Self.text, to: "documents/\(name)") }
    link(path("documents/a"), path("documents/second"))
    let protect = try files("protect", path("documents"), path("missing"), "--account", Self.alice)
    #expect(protect.status == 1)
    #expect(protect.output == "")
    for word in ["5007", "documents/second", "5009", "5001", path("missing")] {
      #expect(protect.errors.contains(word))
    }
    unlink(path("documents/second"))
    #expect(try files("protect", path("documents"), "--account", Self.alice).status == 0)
    let check = try files("check", path("documents"))
    #expect(check.status == 0)
    #expect(
      check.lines == ["a", "b/c"].map { "\(path("documents/\($0)")): whole, \(Self.text.utf8.count) bytes" })
  }

  @Test("files resolves relative paths against the working folder")
  func relativePaths() throws {
    let script = "cd \"$0\" && exec \"$@\""
    let run = { (arguments: String...) throws in
      try Subprocess.run(
        "/bin/sh", ["-c", script, program.folder.path, Program.path, "files"] + arguments + program.options,
        input: "text")
    }
    #expect(try run("write", "plan").status == 0)
    #expect(try run("check", ".", "./plan", "state/../plan").output.contains("\(path("plan")): whole, 4 bytes"))
    #expect(try run("cat", "./plan").output == "text")
  }

  @Test(
    "files says why it cannot use a path: it is missing, a folder, a symbolic link or a pipe",
    arguments: [
      ("missing", "No such file"), ("state", "it is a folder"), ("link", "symbolic link"), ("pipe", "it is a pipe"),
    ])
  func noFile(name: String, cause: String) throws {
    symlink(path("state"), path("link"))
    mkfifo(path("pipe"), 0o600)
    for command in ["cat", "export", "info"] {
      let outcome = try files(command, path(name))
      #expect(outcome.status == 1, "\(command)")
      #expect(outcome.output == "", "\(command)")
      #expect(outcome.errors.contains("5001"), "\(outcome.errors)")
      #expect(outcome.errors.contains(path(name)), "\(outcome.errors)")
      #expect(outcome.errors.contains(cause), "\(outcome.errors)")
    }
    guard name != "missing" else { return }
    let outcome = try files("write", path(name), input: "text")
    #expect(outcome.status == 1, "\(outcome.errors)")
    #expect(outcome.errors.contains(path(name)), "\(outcome.errors)")
  }

  @Test("files reports that the permission to read a file is denied", .enabled(if: geteuid() != 0, "root may"))
  func unreadable() throws {
    let plan = try document()
    chmod(plan, 0o000)
    for command in ["cat", "export", "info", "check"] {
      let outcome = try files(command, plan)
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("Permission denied"))
    }
  }

  @Test("files refuses an encrypted file if the app has not enrolled its owner")
  func otherApp() throws {
    let plan = try document()
    let options = ["--app-id", "com.example.other"]
    for command in ["cat", "export"] {
      let outcome = try Program.run(["files", command, plan] + program.options + options)
      #expect(outcome.status == 1)
      #expect(outcome.output == "")
      #expect(outcome.errors.contains("5005"))
    }
    let check = try Program.run(["files", "check", plan] + program.options + options)
    #expect(check.status == 1)
    #expect(check.output.contains("Enroll the owner of the file"))
    let protect = try Program.run(["files", "protect", plan, "--account", "x"] + program.options + options)
    #expect(protect.status == 1)
    #expect(protect.errors.contains("1100"))
  }

  @Test("With MAMPolicyRequired set, files reads and writes nothing while there is no policy")
  func policyRequired() throws {
    program.folder.write(Self.text, to: "plan")
    let other = ["--state", path("empty"), "--set", "MAMPolicyRequired=true"]
    let commands = [["check"], ["cat"], ["export"], ["info"], ["write"], ["protect", "--account", Self.alice]]
    for command in commands {
      let outcome = try Program.run(["files"] + command + [path("plan")] + other)
      #expect(outcome.status == 1, "\(command) \(outcome)")
      #expect(outcome.output == "", "\(command) \(outcome)")
      #expect(outcome.errors.contains("4001"), "\(command) \(outcome)")
    }
    #expect(readFile(path("plan")) == Array(Self.text.utf8))
  }

  @Test("files refuses paths in the state folder")
  func stateFolder() throws {
    let outcome = try files("write", program.state + "/keys/store.key", input: "x")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("5007"))
    #expect(try files("check", program.state + "/keys").errors.contains("5007"))
  }

  @Test(
    "files exits with 64 if the command line is wrong",
    arguments: [
      ["check"], ["cat"], ["cat", ""], ["cat", "a", "b"], ["protect", "a"], ["export"], ["write"], ["mend"],
    ])
  func usage(arguments: [String]) throws {
    let outcome = try Program.run(["files"] + arguments + program.options)
    #expect(outcome.status == 64)
    #expect(outcome.output == "")
    #expect(!outcome.errors.isEmpty)
  }

  @Test("files cat prints binary data into a pipe, but not to a terminal")
  func terminal() throws {
    #expect(try files("write", path("binary"), input: "a\u{0}b\u{1B}[2J").status == 0)
    #expect(try files("cat", path("binary")).output == "a\u{0}b\u{1B}[2J")
    let command = ([Program.path, "files", "cat", path("binary")] + program.options).map { "'\($0)'" }
    let shown = try Subprocess.run("/usr/bin/script", ["-qec", command.joined(separator: " "), "/dev/null"])
    #expect(shown.status == 1)
    #expect(shown.output.contains("not text"))
    #expect(!shown.output.contains("\u{1B}[2J"))
  }

  @Test("files check --help names every kind of tampering")
  func help() throws {
    let text = try Program.run(["files", "check", "--help"]).output
    for word in ["8 bytes", "key id", "owner", "record", "tag", "order", "another", "truncation", "tail", "older copy"]
    {
      #expect(text.contains(word))
    }
  }

  @Test(
    "files distinguishes a missing file from a symbolic link to nothing",
    arguments: [["cat"], ["export"], ["info"], ["check"]])
  func missing(command: [String]) throws {
    try #require(symlink(path("gone"), path("link")) == 0)
    for (name, problem) in [("nosuch", "the file is missing: "), ("link", "symbolic link")] {
      let outcome = try files(command + [path(name)])
      #expect(outcome.status == 1)
      #expect(outcome.output == "")
      #expect(outcome.errors.contains("error 5001, "), "\(outcome)")
      #expect(outcome.errors.contains(problem), "\(outcome)")
      #expect(outcome.errors.contains("(\(path(name)))"), "\(outcome)")
    }
  }
}
