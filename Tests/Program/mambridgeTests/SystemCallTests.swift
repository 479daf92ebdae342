import Glibc
import TestSupport
import Testing

/// What the program asks of the system and in which order, as a library sees it that is loaded before the C library.
@Suite(.enabled(if: SystemCallTrace.isPossible, "needs a C compiler")) struct SystemCallTests {
  private static let alice = "alice@contoso.example"
  private let trace: SystemCallTrace

  init() throws {
    trace = try SystemCallTrace()
  }

  /// Those of enrolling first.
  private func run(_ arguments: String...) throws -> [SystemCallTrace.Call] {
    let enroll = ["enrollmentManager.registerAndEnrollAccount", "account=\(Self.alice)"]
    let first = try trace.run(["call"] + trace.program.options + enroll)
    let (outcome, calls) = try trace.run(arguments + trace.program.options)
    #expect(first.outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.status == 0, "\(outcome.errors)")
    return first.calls + calls
  }

  /// Whether the folder of a name is synced after the call that made it.
  private func expectSyncedFolders(_ calls: [SystemCallTrace.Call], _ names: (String) -> Bool) {
    let made = calls.enumerated().filter { ["rename", "mkdir", "unlink"].contains($1.name) && names($1.path) }
    #expect(!made.isEmpty)
    for (place, call) in made {
      let folder = call.path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
      #expect(calls[place...].contains { $0.name == "fsync" && $0.path == folder }, "\(call.path)")
    }
  }

  @Test("A new key file is synced before its rename, and its folder after the rename")
  func newKey() throws {
    let calls = try run("call", "dataProtectionManager.protectString", "string=text", "account=\(Self.alice)")
    let keys = trace.program.state + "/keys"
    expectSyncedFolders(calls) { $0.hasPrefix(keys + "/") }
    for (place, call) in calls.enumerated() where call.name == "rename" && call.path.hasSuffix(".key") {
      #expect(calls[..<place].contains { $0.name == "fsync" && $0.path == call.path + ".new" }, "\(call.path)")
    }
  }

  @Test("files protect syncs the new file before its rename, and the folder after the rename")
  func protectedFile() throws {
    let path = trace.program.folder.write(String(repeating: "text ", count: 200_000), to: "documents/plan")
    let calls = try run("files", "protect", "--account", Self.alice, path)
    let place = try #require(calls.firstIndex { $0.name == "rename" && $0.path == path })
    #expect(calls[..<place].contains { $0.name == "fsync" && $0.path.hasSuffix(".tmp") })
    expectSyncedFolders(calls) { $0 == path }
  }

  @Test("files write syncs the new file before its rename")
  func writtenFile() throws {
    let path = trace.program.folder.write("old", to: "plan")
    let calls = try run("files", "write", "--account", Self.alice, path)
    let place = try #require(calls.firstIndex { $0.name == "rename" && $0.path == path })
    #expect(calls[..<place].contains { $0.name == "fsync" && $0.path.hasSuffix(".tmp") })
  }

  @Test(
    "diagnostics syncs its output file before naming it, and the folder afterwards",
    arguments: [("--export", "support.tar.gz"), ("--html", "page.html")])
  func export(option: String, name: String) throws {
    let path = trace.program.folder.file(name)
    let calls = try run("diagnostics", option, path)
    let place = try #require(calls.firstIndex { ["link", "rename"].contains($0.name) && $0.path == path })
    let folder = trace.program.folder.path
    // The new file is in the folder, under a name of its own or none; the state is there, too.
    let synced = calls[..<place].filter { $0.name == "fsync" && $0.path.hasPrefix(folder + "/") }
      .map { $0.path.dropFirst(folder.count + 1) }
    #expect(synced.contains { !$0.contains("/") && $0 != "state" }, "\(synced)")
    #expect(calls[place...].contains { $0.name == "fsync" && $0.path == folder })
  }

  @Test("A wipe syncs each folder after it deletes a key from it")
  func wipe() throws {
    let method = "enrollmentManager.deRegisterAndUnenrollAccount"
    let calls = try run("call", method, "account=\(Self.alice)", "withWipe=true")
    let keys = trace.program.state + "/keys/"
    #expect(calls.contains { $0.name == "unlink" && $0.path.contains("/apps/") && $0.path.hasPrefix(keys) })
    expectSyncedFolders(calls) { $0.hasPrefix(keys) }
  }

  @Test("file.create never truncates an encrypted file to less than its header")
  func emptiedFile() throws {
    let path = trace.program.folder.write(String(repeating: "text ", count: 2000), to: "documents/plan")
    _ = try run("files", "protect", "--account", Self.alice, path)
    let flags = #"flags=["readWrite","create","truncate"]"#
    let calls = try run("call", "file.create", "path=\(path)", flags, "account=\(Self.alice)")
    let sizes = calls.filter { $0.name == "ftruncate" && $0.path == path }.map(\.size)
    #expect(sizes == [4096])
  }

  @Test("file.create leaves a new file in place if another process locks it first")
  func lockedNewFile() throws {
    let path = trace.program.folder.file("new")
    let create = ["file.create", "path=\(path)", #"flags=["readWrite","create"]"#]
    let (outcome, _) = try trace.run(["call"] + trace.program.options + create, locked: path)
    #expect(outcome.error?["code"] == 5003, "\(outcome.errors)")
    #expect(access(path, F_OK) == 0, "\(outcome.errors)")
  }

  @Test("files protect gets the nonces for many pages with one getrandom call")
  func nonces() throws {
    let path = trace.program.folder.write(String(repeating: "text ", count: 200_000), to: "documents/plan")
    let calls = try run("files", "protect", "--account", Self.alice, path)
    let sizes = calls.filter { $0.name == "getrandom" && $0.size.isMultiple(of: 12) }.map(\.size)
    let pages = (1_000_000 + 4063) / 4064
    // One for each page, at most 1 MiB for one call, and some for records.
    #expect(sizes.allSatisfy { $0 <= 256 * 12 })
    #expect(sizes.contains { $0 >= 60 * 12 })
    #expect(sizes.filter { $0 > 12 }.reduce(0, +) == pages * 12)
  }
}
