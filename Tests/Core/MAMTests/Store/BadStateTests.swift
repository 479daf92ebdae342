import Glibc
import Model
import SQLite
import TestSupport
import Testing

@testable import MAM

@Suite struct BadStateTests {
  let fixture = CoreFixture()

  /// Every kind of call ends with this.
  private func expectRefusal(_ code: ErrorCode, _ path: String, _ core: Core) throws {
    let calls: [(Core) throws -> Any] = [
      { try $0.refresh() }, { try $0.enroll("alice") }, { try $0.checkIn() }, { try $0.unenroll("alice") },
      { try $0.protection.protect([1], for: .user("alice")) }, { try $0.source.status(of: nil) },
    ]
    for call in calls {
      let error = try #require(#expect(throws: MAMError.self) { try call(core) })
      #expect(error.code == code, "\(error)")
      #expect(error.path == path, "\(error)")
      #expect(error.hint?.isEmpty == false, "\(error)")
    }
  }

  @Test(
    "A file in place of a state folder is reported with its path; once it is gone, calls work",
    arguments: ["", "/keys", "/apps", "/apps/com.example.host", "/apps/com.example.host/logs"])
  func fileInPlaceOfFolder(name: String) throws {
    let path = fixture.state.root + name
    fixture.folder.write("no folder", to: "state" + name)
    let core = try fixture.core()
    try expectRefusal(.storeUnavailable, path, core)
    unlink(path)
    #expect(try core.enroll("alice") == 100)
  }

  @Test(
    "A state folder without permissions is reported with a hint",
    .enabled(if: geteuid() != 0, "root may use every folder"))
  func forbidden() throws {
    mkdir(fixture.state.root, 0o500)
    let core = try fixture.core()
    try expectRefusal(.storeUnavailable, fixture.state.root, core)
    chmod(fixture.state.root, 0o700)
    #expect(try core.enroll("alice") == 100)
  }

  @Test("A folder in place of the database or epoch page is reported with its path")
  func folderInPlaceOfFile() throws {
    for path in [fixture.state.database, fixture.state.epochPage] {
      try fixture.state.create()
      unlink(path)
      mkdir(path, 0o700)
      try expectRefusal(.storeUnavailable, path, try fixture.core())
      rmdir(path)
    }
    #expect(try fixture.core().enroll("alice") == 100)
  }

  @Test("A file that is not a database is reported as damaged and is not changed")
  func notADatabase() throws {
    try fixture.state.create()
    let text = String(repeating: "this is no database\n", count: 500)
    fixture.folder.write(text, to: "state/apps/com.example.host/state.db")
    let core = try fixture.core()
    try expectRefusal(.damaged, fixture.state.database, core)
    #expect(readFile(fixture.state.database) == Array(text.utf8))
    unlink(fixture.state.database)
    #expect(try core.enroll("alice") == 100)
  }

  @Test("If the open database is damaged, calls fail and the last policy stays in force")
  func damagedWhileOpen() throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    try overwritePages()
    let error = try #require(#expect(throws: MAMError.self) { try core.checkIn() })
    #expect(error.code == .damaged)
    #expect(error.path == fixture.state.database)
    #expect(core.state.account(.user("alice"))?.policy?.isPINRequired == true)
    for suffix in ["", "-wal", "-shm"] { unlink(fixture.state.database + suffix) }
    #expect(try core.account("alice") == nil)
    #expect(try core.enroll("alice") == 100)
    #expect(try fixture.events().count == 3)
  }

  @Test("A new core creates a state folder if the old one was moved away")
  func folderTakenAway() throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    #expect(rename(fixture.state.root, fixture.folder.file("old")) == 0)
    #expect(try fixture.core().account("alice") == nil)
    #expect(core.currentState?.account(.user("alice")) != nil)
  }

  @Test("A state with a newer schema is refused with both versions and the ways out, and is not changed")
  func newerSchema() throws {
    #expect(try fixture.core().enroll("alice") == 100)
    let connection = try Connection(path: fixture.state.database)
    try connection.execute("PRAGMA user_version = 99")
    let core = try fixture.core()
    try expectRefusal(.newerSchema, fixture.state.database, core)
    let error = try #require(#expect(throws: MAMError.self) { try core.refresh() })
    #expect(
      error.message == """
        a newer version of mambridge has opened this state: its schema has version 99, but this program supports only \
        \(StateSchema.app.knownVersion)
        """)
    #expect(error.hint?.contains("restore a copy of the folder from before the upgrade") == true)
    try connection.execute("PRAGMA user_version = \(StateSchema.app.knownVersion)")
    #expect(try core.requiresPIN("alice"))
  }

  @Test("An unreadable stored policy is logged and ignored until the next check-in replaces it")
  func unreadablePolicy() throws {
    #expect(try fixture.core().enroll("alice") == 100)
    try Connection(path: fixture.state.database).execute("UPDATE documents SET body = '{' WHERE kind = 'policy'")
    let core = try fixture.core()
    #expect(try core.account("alice")?.isEnrolled == true)
    #expect(try core.account("alice")?.isManaged == false)
    #expect(core.state.appConfig(of: .user("alice")).isEmpty == false)
    #expect(try fixture.warnings("cannot be read", in: core).count == 1)
    #expect(try core.checkIn() == [100])
    #expect(try core.requiresPIN("alice"))
    #expect(try fixture.warnings("cannot be read", in: core).count == 1)
  }

  @Test("Only the owner can access the state folder and its files")
  func modes() throws {
    #expect(try fixture.core().enroll("alice") == 100)
    let state = fixture.state
    for (path, mode) in [
      (state.root, 0o700), (state.keys, 0o700), (state.app, 0o700), (state.logs, 0o700), (state.database, 0o600),
      (state.epochPage, 0o600),
    ] as [(String, mode_t)] {
      var status = stat()
      #expect(stat(path, &status) == 0, "\(path)")
      #expect(status.st_mode & 0o777 == mode, "\(path)")
    }
  }

  /// All of the database but its header becomes noise; nothing of it is left in the log either.
  private func overwritePages() throws {
    try Connection(path: fixture.state.database).execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let size = try #require(readFile(fixture.state.database)).count
    let file = open(fixture.state.database, O_WRONLY)
    defer { close(file) }
    let noise = [UInt8](repeating: 0xAB, count: size - 4096)
    #expect(pwrite(file, noise, noise.count, 4096) == noise.count)
  }
}
