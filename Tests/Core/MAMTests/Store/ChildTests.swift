import Glibc
import Model
import Testing

@testable import MAM
@testable import Vault

/// What a `ChildProcess` runs; skipped in the parent.
@Suite(.enabled(if: ChildProcess.role != nil, "run by other tests, in a process of its own"))
struct ChildTests {
  private let core = Core(
    CoreConfiguration(
      stateFolder: StateFolder(root: ChildProcess.state, appId: "com.example.host"),
      tenant: .folder(ChildProcess.tenant)))

  @Test("A child process enrolls and unenrolls until it is killed", .enabled(if: ChildProcess.role == .loop))
  func loop() throws {
    while true {
      for work in [Core.enroll, Core.unenroll] {
        _ = try work(core)("alice")
        ChildProcess.report()
      }
    }
  }

  @Test("A child process enrolls alice", .enabled(if: ChildProcess.role == .enroll))
  func enroll() throws {
    #expect(try core.enroll("alice") == 100)
    ChildProcess.report()
  }

  @Test(
    "A child process changes its half of a file that another process also changes",
    .enabled(if: ChildProcess.role == .stripes))
  func stripes() throws {
    let folder = String(ChildProcess.state.dropLast("/state".count))
    var walk = try StripeWalk(parity: 1, seed: 7, core, in: folder)
    ChildProcess.report()
    try walk.run(steps: SharedFileTests.steps)
  }

  @Test("A child process runs due check-ins until it is killed", .enabled(if: ChildProcess.role == .checkIn))
  func checkIn() throws {
    while true {
      try core.scheduler.runDue()
      ChildProcess.report()
    }
  }

  @Test("A child process holds the check-in lock until it is killed", .enabled(if: ChildProcess.role == .holdTurn))
  func holdTurn() throws {
    try core.refresh()
    try CheckInLock.withLock(core.configuration.stateFolder.checkInLock, isWaiting: true) { () throws(MAMError) in
      ChildProcess.report()
      while true { pause() }
    }
  }

  @Test(
    "A child process changes the store, keys and a file until it is killed", .enabled(if: ChildProcess.role == .busy))
  func busy() throws {
    let path = try document
    ChildProcess.report()
    while true {
      try? core.files.open(path, [.readWrite]).write([UInt8](repeating: 2, count: 9000), at: 1000)
      _ = try? core.checkIn()
      let keys = try core.refresh().keys
      if let account = core.state.account(.user("alice"))?.account {
        _ = try? keys.rotate(DataOwner(account))
        _ = try? core.protection.protect([1], for: .user("alice"))
      }
    }
  }

  @Test(
    "A child process extends an encrypted file beyond the limit of file sizes",
    .enabled(if: ChildProcess.role == .growOnFullDisk))
  func growOnFullDisk() throws {
    let file = try core.files.open(document, [.readWrite])
    try withFileSizeLimit(64 << 10) {
      #expect(throws: MAMError.self) { try file.write([UInt8](repeating: 3, count: 1 << 20), at: try file.size()) }
      ChildProcess.report()
      kill(getpid(), SIGKILL)
    }
  }

  /// That of a `HandleFixture`.
  private var document: AbsolutePath {
    get throws { try #require(AbsolutePath(ChildProcess.state.dropLast("/state".count) + "/document")) }
  }

  @Test("On a full disk, a check-in fails with diskFull and keeps the state; with space, it works again")
  func fullDisk() throws {
    guard ChildProcess.role == .fullDisk else { return }
    #expect(try core.enroll("alice") == 100)
    let before = try RecordedEvent.all(in: core.configuration.stateFolder)
    try withFileSizeLimit(128 << 10) {
      let error = try #require(#expect(throws: MAMError.self) { while true { _ = try core.checkIn() } })
      #expect(error.code == .diskFull)
      #expect(error.isRetryable)
      #expect(error.hint != nil)
      #expect(error.path == core.configuration.stateFolder.database)
      #expect(core.currentState?.account(.user("alice"))?.policy?.isPINRequired == true)
      #expect(try Core(core.configuration).requiresPIN("alice"))
    }
    #expect(try core.checkIn() == [101])
    let events = try RecordedEvent.all(in: core.configuration.stateFolder)
    #expect(Array(events.prefix(before.count)) == before)
    #expect(events.map(\.seq) == Array(1...events.count))
  }
}

/// No file of this process may grow beyond it meanwhile.
func withFileSizeLimit(_ size: rlim_t, _ body: () throws -> Void) throws {
  signal(SIGXFSZ, SIG_IGN)
  var limit = rlimit()
  getrlimit(__rlimit_resource_t(1), &limit)
  let former = limit.rlim_cur
  defer {
    limit.rlim_cur = former
    setrlimit(__rlimit_resource_t(1), &limit)
  }
  limit.rlim_cur = size
  #expect(setrlimit(__rlimit_resource_t(1), &limit) == 0)
  try body()
}
