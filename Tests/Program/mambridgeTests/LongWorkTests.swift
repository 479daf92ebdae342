import Glibc
import JSON
import Support
import TestSupport
import Testing

@testable import mambridge

/// Work that takes long: its progress on a terminal, and its end at Ctrl-C.
@Suite(.ownThreads) struct LongWorkTests {
  private static let alice = "alice@contoso.example"
  private let program = Program()

  init() throws {
    _ = try program.call("enrollmentManager.registerAndEnrollAccount", "account=\(Self.alice)")
  }

  private func path(_ name: String) -> String { program.folder.file(name) }

  /// A file that takes minutes to encrypt, and no room on the disk.
  private func makeLongFile() -> String {
    let path = path("long")
    let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
    defer { close(descriptor) }
    ftruncate(descriptor, 1 << 36)
    return path
  }

  private func start(_ arguments: [String], columns: Int = 80) throws -> TerminalProgram {
    try TerminalProgram(Program.path, arguments + program.options, columns: columns)
  }

  private func names() throws -> [String] { try Subprocess.run("/bin/ls", ["-A", program.folder.path]).lines }

  @Test(
    "files protect shows its progress, and Ctrl-C removes its temporary file before it exits",
    arguments: [40, 80, 200])
  func protect(columns: Int) throws {
    let long = makeLongFile()
    let command = try start(["files", "protect", long, "--account", Self.alice], columns: columns)
    try command.waitFor(" left\u{1B}[K")
    #expect(command.text.contains("%  "))
    #expect(command.text.contains("iB/s  "))
    #expect(command.text.contains(" of 64.0 GiB") == (columns > 40))
    command.pressControlC()
    let (status, text) = try command.wait()
    #expect(status == 130)
    #expect(text.hasSuffix("mambridge: no file was changed; stopped\n"), "\(text.suffix(200))")
    let lines = text.split(separator: "\r").filter { $0.contains("%") }
    #expect(lines.allSatisfy { $0.prefix { $0 != "\u{1B}" }.count < columns })
    #expect(try names() == ["long", "state"])
    var info = stat()
    #expect(stat(long, &info) == 0)
    #expect(info.st_blocks == 0)
  }

  @Test("call shows its progress, and Ctrl-C cancels the call and removes its temporary file")
  func call() throws {
    let long = makeLongFile()
    let command = try start(["call", "fileProtectionManager.protect", "path=\(long)", "account=\(Self.alice)"])
    try command.waitFor(" left")
    command.pressControlC()
    let (status, text) = try command.wait()
    #expect(status == 130, "\(text.suffix(200))")
    #expect(text.contains("-32800"), "\(text.suffix(200))")
    #expect(try names() == ["long", "state"])
  }

  @Test("When Ctrl-C stops files protect in a folder, it says how many files it has encrypted")
  func folder() throws {
    program.folder.write("figures", to: "documents/a")
    rename(makeLongFile(), path("documents/long"))
    let command = try start(["files", "protect", path("documents"), "--account", Self.alice])
    try command.waitFor(" left")
    command.pressControlC()
    let (status, text) = try command.wait()
    #expect(status == 130)
    #expect(text.contains("mambridge: encrypted 1 file (7 bytes) for \(Self.alice)"))
    #expect(text.hasSuffix("; stopped\n"))
    #expect(filesOf(folder: path("documents")) == ["a", "long"].map { path("documents/\($0)") })
    #expect(try Subprocess.run("/bin/ls", ["-A", path("documents")]).lines == ["a", "long"])
  }

  @Test("Ctrl-C during files write keeps the old content and leaves no temporary file")
  func write() throws {
    program.folder.write("old", to: "plan")
    let command = try start(["files", "write", path("plan"), "--account", Self.alice])
    command.type("new\n")
    #expect(try waitForTemporaryFile())
    command.pressControlC()
    let (status, text) = try command.wait()
    #expect(status == 130)
    #expect(text.hasSuffix("mambridge: stopped; nothing was changed\n"))
    #expect(try names() == ["plan", "state"])
    #expect(readFile(path("plan")) == Array("old".utf8))
  }

  @Test("files shows no progress on a dumb terminal, with --quiet or in a pipe", arguments: [true, false])
  func noProgress(isDumb: Bool) throws {
    let long = makeLongFile()
    let command = try TerminalProgram(
      Program.path, ["files", "protect", long, "--account", Self.alice] + (isDumb ? [] : ["-q"]) + program.options,
      environment: isDumb ? ["TERM": "dumb"] : [:])
    #expect(try waitForTemporaryFile(size: 1 << 20))
    command.pressControlC()
    let (status, text) = try command.wait()
    #expect(status == 130)
    #expect(!text.contains("\u{1B}"))
    #expect(!text.contains("%"))
    let piped = try Program.run(["files", "check", long] + program.options)
    #expect(piped.status == 0)
    #expect(piped.errors == "mambridge: checked 1 file: 1 not encrypted\n")
  }

  /// Until there is one of at least this size.
  private func waitForTemporaryFile(size: Int = 0) throws -> Bool {
    let end = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < end {
      let hidden = try names().filter { $0.hasPrefix(".mambridge-") }
      var info = stat()
      if let name = hidden.first, stat(path(name), &info) == 0, info.st_size >= size { return true }
    }
    return false
  }

  @Test(
    "A progress line leaves out what does not fit the width",
    arguments: [
      (.max, " 42%  861 MiB of 2.0 GiB  172 MiB/s  7 s left"), (45, " 42%  861 MiB of 2.0 GiB  172 MiB/s  7 s left"),
      (44, " 42%  172 MiB/s  7 s left"), (20, " 42%  7 s left"), (8, " 42%"), (2, " 4"),
    ] as [(Int, String)])
  func progressLine(width: Int, line: String) {
    let work = WorkDone(bytes: 861 << 20, total: 2 << 30)
    #expect(ProgressLine.text(work, after: .seconds(5), width: width) == line)
  }

  @Test("A progress line without a known total shows an amount and a rate")
  func unknownTotal() {
    let work = WorkDone(bytes: 10 << 20, total: nil)
    #expect(ProgressLine.text(work, after: .seconds(2)) == "10.0 MiB  5.0 MiB/s")
    #expect(ProgressLine.text(work, after: .seconds(2), width: 10) == "10.0 MiB")
  }

  @Test(
    "A progress line shows byte counts with units such as KiB and GiB",
    arguments: [
      (0, "0 bytes"), (1, "1 byte"), (1023, "1023 bytes"), (1024, "1.0 KiB"), (1536, "1.5 KiB"),
      ((1 << 20) - 1, "1.0 MiB"), (100 << 20, "100 MiB"), (1 << 30, "1.0 GiB"), (5 << 50, "5120 TiB"),
    ])
  func byteCounts(count: Int, text: String) {
    #expect(ByteCount(count).text == text)
  }

  @Test(
    "A progress line shows the time left in seconds, minutes or hours",
    arguments: [(0, "0 s"), (0.2, "1 s"), (59, "59 s"), (60, "1 min 0 s"), (3600, "1 h 0 min")] as [(Double, String)])
  func times(seconds: Double, text: String) {
    #expect(ProgressLine.text(ofSeconds: seconds) == text)
  }
}
