import SQLite
import Support
import Testing

@testable import MAM
@testable import Model

@Suite(.timeLimit(.minutes(5))) struct StoreTests {
  let fixture = CoreFixture()

  @Test("A restarted core has all accounts and policies at once, without the policy source")
  func restart() throws {
    let core = try fixture.core("MultiManagedIdentities=true")
    for name in ["dave", "bob", "alice"] { _ = try core.enroll(name) }
    let restarted = try fixture.core(tenant: .folder(fixture.folder.file("gone")))
    #expect(restarted.currentState == nil)
    #expect(restarted.state.accounts.isEmpty)
    #expect(try restarted.requiresPIN("alice"))
    let (before, after) = (core.state, try #require(restarted.currentState))
    #expect(after.accounts.map(\.account) == before.accounts.map(\.account))
    #expect(after.accounts.map(\.status) == before.accounts.map(\.status))
    #expect(after.accounts.map(\.enrolledAt) == before.accounts.map(\.enrolledAt))
    #expect(after.accounts.map(\.appConfig) == before.accounts.map(\.appConfig))
    #expect(after.accounts.map(\.tenantId) == before.accounts.map(\.tenantId))
    #expect(after.directory.identities == before.directory.identities)
    #expect(after.directory.identities.count == 3)
    #expect(after.primaryAccount?.account.accountId == TenantFolder.id("bob"))
  }

  @Test("Two cores on one state see each other's changes at their next call")
  func twoCores() throws {
    let (first, second) = (try fixture.core(), try fixture.core())
    try first.refresh()
    #expect(try second.enroll("alice") == 100)
    #expect(first.currentState == nil)
    #expect(second.currentState != nil)
    #expect(try first.requiresPIN("alice"))
    #expect(first.currentState != nil)
    fixture.tenant.writePolicy(#""pinRequired": false"#)
    #expect(try first.checkIn() == [100])
    #expect(second.currentState == nil)
    #expect(try !second.requiresPIN("alice"))
    #expect(try second.enroll("bob") == 227)
    #expect(try first.unenroll("bob") == 104)
    #expect(try second.unenroll("bob") == 214)
  }

  @Test("Apps of one device have separate accounts")
  func twoApps() throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    let other = Core(
      CoreConfiguration(
        stateFolder: StateFolder(root: fixture.state.root, appId: "com.example.other"),
        tenant: .folder(fixture.tenant.path), clock: fixture.clock))
    #expect(try other.account("alice") == nil)
    #expect(try other.enroll("bob") == 103)
    #expect(try core.account("bob") == nil)
  }

  @Test("Cores that enroll at the same time agree on one enrolled account and lose no event")
  func race() async throws {
    let names = ["alice", "frank", "bob"]
    let fixture = fixture
    let codes = try await withThrowingTaskGroup(of: Int.self) { group in
      for name in names + names + names { group.addTask { try fixture.core().enroll(name) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(codes.filter { $0 < 200 }.count == 1)
    #expect(codes.count == 9)
    let core = try fixture.core()
    try core.refresh()
    #expect(core.state.accounts.count == 3)
    #expect(core.state.enrolledAccounts.count == 1)
    let events = try fixture.events()
    #expect(events.map(\.seq) == Array(1...events.count))
    #expect(events.filter { $0.type == "enrollmentRequestWithStatus" }.count == 3)
  }

  @Test("A core answers from a consistent state while other threads change it")
  func threads() async throws {
    let core = try fixture.core()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for name in ["alice", "frank"] {
        group.addTask {
          for _ in 0..<15 {
            _ = try core.enroll(name)
            _ = try core.checkIn()
            _ = try core.unenroll(name)
          }
        }
      }
      group.addTask {
        for _ in 0..<2000 {
          let state = core.currentState ?? core.state
          #expect(state.enrolledAccounts.count <= 1)
          #expect(state.managedAccounts.count == state.enrolledAccounts.count)
        }
      }
      try await group.waitForAll()
    }
    #expect(core.currentState?.accounts.isEmpty == true)
    let events = try fixture.events()
    #expect(events.map(\.seq) == Array(1...events.count))
  }

  @Test("A commit of a process that died before notifying others is seen once the state is opened again")
  func untoldCommit() throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    let store = try Store(path: fixture.state.database, migrations: StateSchema.app)
    try store.change(at: CoreFixture.start) { transaction throws(SQLiteError) in
      for account in try transaction.accounts() { try transaction.remove(account) }
    }
    #expect(core.currentState?.accounts.count == 1)
    try fixture.core().refresh()
    #expect(core.currentState == nil)
    #expect(try core.account("alice") == nil)
  }

  @Test("Time never goes back behind the time that any process has stored")
  func time() throws {
    #expect(try fixture.core().enroll("alice") == 100)
    let early = ManualClock(startingAt: Timestamp(milliseconds: 1_000))
    let core = Core(
      CoreConfiguration(stateFolder: fixture.state, tenant: .folder(fixture.tenant.path), clock: early))
    #expect(try core.checkIn() == [101])
    #expect(core.now == CoreFixture.start)
    #expect(core.state.accounts.first?.checkedInAt == CoreFixture.start)
    // This one has not yet seen what the next one stores.
    let ahead = try fixture.core()
    fixture.clock.advance(byMilliseconds: 86_400_000)
    #expect(try ahead.checkIn() == [101])
    #expect(try core.checkIn() == [101])
    #expect(try fixture.events().suffix(2).allSatisfy { $0.time == CoreFixture.start.advanced(by: 86_400_000) })
    early.advance(byMilliseconds: 2_000_000_000_000)
    #expect(core.now == early.now)
  }

  @Test("Events older than 30 days are deleted, except the newest, so that numbers continue")
  func oldEvents() throws {
    let core = try fixture.core()
    let day: Int64 = 24 * 3600 * 1000
    for _ in 0..<3 {
      #expect(try core.enroll("alice") == 100)
      #expect(try core.unenroll("alice") == 104)
      fixture.clock.advance(byMilliseconds: 12 * day)
    }
    #expect(try fixture.events().map(\.seq) == Array(1...21))
    #expect(try core.enroll("carol") == 225)
    #expect(try fixture.events().map(\.seq) == Array(8...22))
    fixture.clock.advance(byMilliseconds: 30 * day)
    #expect(try core.checkIn() == [225])
    #expect(try fixture.events().map(\.seq) == [22, 23])
    fixture.clock.advance(byMilliseconds: 31 * day)
    let store = try Store(path: fixture.state.database, migrations: StateSchema.app)
    try store.change(at: fixture.clock.now) { _ in }
    #expect(try fixture.events().map(\.seq) == [23])
    #expect(try core.unenroll("carol") == 104)
    #expect(try fixture.events().map(\.seq) == [24])
  }

  @Test("A store keeps the newest 10,000 events")
  func manyEvents() throws {
    let store = try Store(path: fixture.folder.file("state.db"), migrations: StateSchema.app)
    let event = CoreEvent.policyDidChange(Account(accountId: TenantFolder.id("alice"), identity: nil))
    for count in [9_990, 5, 5, 7] {
      try store.change(at: fixture.clock.now) { transaction throws(SQLiteError) in
        for _ in 0..<count { try transaction.append(event) }
      }
    }
    let connection = try Connection(path: fixture.folder.file("state.db"))
    let ends = try connection.first("SELECT min(seq), max(seq), count(*) FROM events") { row in
      [try row.value(0, as: Int.self), try row.value(1), try row.value(2)]
    }
    #expect(ends == [8, 10_007, 10_000])
  }

  @Test("A change that fails midway is undone completely")
  func rollback() throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    let store = try Store(path: fixture.state.database, migrations: StateSchema.app)
    #expect(throws: MAMError.self) {
      try store.change(at: CoreFixture.start) { transaction throws(SQLiteError) in
        for account in try transaction.accounts() { try transaction.remove(account) }
        try transaction.append(.policyDidChange(.noUser))
        try transaction.connection.execute("no statement")
      }
    }
    #expect(try fixture.core().requiresPIN("alice"))
    #expect(try fixture.events().count == 3)
  }
}
