import Cryptography
import Glibc
import JSON
import Model
import SQLite
import Support
import TestSupport
import Testing

@testable import MAM

@Suite struct ForgottenNamesTests {
  private let world: WipeFixture
  private var core: Core { world.core }
  private var state: StateFolder { world.fixture.state }
  private let upn = TenantFolder.upn("alice").lowercased()

  /// With all that names alice: a PIN, a use, a sign-in, a page, and an operation of an administrator.
  init() throws {
    world = try WipeFixture()
    let account = try #require(try world.core.account("alice")).account
    let services = try world.core.refresh()
    try services.device.write { connection throws(SQLiteError) in
      let owner = PINOwner(publisher: "com.example", account: account)
      let pin = try connection.add(owner, salt: [1], Scrypt.Parameters.quick)
      try connection.add([1, 2, 3], to: pin, keeping: 1)
      try connection.run("INSERT INTO activity VALUES ('com.example', ?, 1, 2)", TenantFolder.upn("alice").lowercased())
    }
    try world.core.live.commit { transaction throws(SQLiteError) in
      try transaction.noteSignIn(of: account)
      for _ in 0..<200 { try transaction.append(.policyDidChange(account)) }
    }
    let page = "<p>\(TenantFolder.upn("alice"))</p>"
    world.fixture.folder.write(page, to: "state/apps/com.example.host/diagnostics.html")
  }

  /// The files of the state that have a text anywhere, in free pages too.
  private func files(with text: String) throws -> [String] {
    let outcome = try Subprocess.run("/usr/bin/grep", ["-rilaF", text, state.root])
    return outcome.output.split(separator: "\n").map { String($0.dropFirst(state.root.count)) }.sorted()
  }

  @Test("After a wipe and a clean exit, no file of the state contains the account's name")
  func gone() async throws {
    #expect(try files(with: upn).count >= 3)
    #expect(try await core.wipe("alice") == 104)
    #expect(try files(with: upn) == ["/apps/com.example.host/state.db"], "events that hosts may not have read yet")
    let events = try world.fixture.events()
    #expect(events.suffix(4).allSatisfy { $0.body["identity"]?.stringValue == TenantFolder.upn("alice") })
    // Whom the policy source lists is learnt at each check-in.
    #expect(try core.checkIn("frank") == [101])
    core.end()
    #expect(try files(with: upn) == [])
    for database in [state.database, state.device] { #expect(access(database + "-wal", F_OK) != 0) }
  }

  @Test("After a wipe, events keep number, type, status and object id, but not the account's name")
  func kept() async throws {
    let before = try world.fixture.events()
    #expect(try await core.wipe("alice") == 104)
    core.end()
    let after = try world.fixture.events()
    #expect(after.count > before.count)
    for (old, new) in zip(before, after) {
      #expect(old.seq == new.seq)
      #expect(old.type == new.type)
      #expect(old.status == new.status)
      #expect(old.time == new.time)
      #expect(old.body["accountId"] == new.body["accountId"])
      let isAlice = old.body["accountId"]?.stringValue == TenantFolder.id("alice")
      #expect(new.body["identity"] == (isAlice ? .null : old.body["identity"]))
    }
    let next = try world.newCore()
    #expect(try next.enroll("alice") == 100)
    #expect(try next.account("alice")?.account.identity == TenantFolder.upn("alice"))
    next.end()
    #expect(try world.fixture.events().last?.body["identity"]?.stringValue == TenantFolder.upn("alice"))
    try world.expectOthers(in: try world.newCore())
  }

  @Test("A screen that is shown during a wipe keeps only the account's object id")
  func screen() async throws {
    let (id, name) = (TenantFolder.id("alice"), TenantFolder.upn("alice"))
    let request = core.screens.begin(ScreenNotice(accountId: id, identity: name, window: nil))
    defer { core.screens.end(request) }
    #expect(try await core.wipe("alice") == 104)
    let uses = Lock<[ScreenUse]>([])
    _ = try core.live.commit { transaction throws(SQLiteError) in
      let found = try transaction.connection.screenUses()
      uses.withLock { $0 = found }
    }
    #expect(uses.withLock { $0 }.map(\.accountId) == [id])
    #expect(uses.withLock { $0 }.map { $0.identity ?? "" } == [""])
  }

  @Test("The PIN survives a wipe and is found by object id")
  func pin() async throws {
    #expect(try await core.wipe("alice") == 104)
    let pins = try core.refresh().device.read { connection throws(SQLiteError) in
      try connection.pins(of: "com.example")
    }
    #expect(pins?.map(\.owner.account) == [Account(accountId: TenantFolder.id("alice"), identity: nil)])
    #expect(try core.enroll("alice") == 100)
    let account = try #require(try core.account("alice")).account
    #expect(try core.pins.stored(of: account, core.refresh()) != nil)
  }

  @Test("An administrator's wipe runs only once, although the state no longer has the user's name")
  func operations() async throws {
    world.writeOperation("wipe")
    let check = { try await world.core.enrollment.checkInAndFollowUp(.user("alice")).map(\.statusCode.sdkValue) }
    _ = try core.live.commit { transaction throws(SQLiteError) in
      try transaction.connection.run(
        "INSERT INTO begun_operations VALUES (?, '*', 'earlier')", TenantFolder.upn("alice").lowercased())
    }
    #expect(try await check() == [102])
    #expect(try files(with: upn) == ["/apps/com.example.host/state.db"])
    #expect(try core.enroll("alice") == 100)
    #expect(try await check() == [101])
    world.writeOperation("wipe", requested: "earlier")
    #expect(try await check() == [101])
  }

  @Test("A user who was wiped and blocked stays registered with the name")
  func blocked() async throws {
    world.writeOperation("wipeAndBlock")
    _ = try await core.enrollment.checkInAndFollowUp(.user("alice"))
    core.end()
    #expect(try world.newCore().account("alice")?.account.identity == TenantFolder.upn("alice"))
    #expect(access(state.diagnosticPage, F_OK) != 0)
  }

  @Test("A core that is used after its end opens the state again")
  func usedAgain() throws {
    core.end()
    #expect(try core.checkIn("frank") == [101])
    #expect(try core.requiresPIN("frank") == false)
  }
}
