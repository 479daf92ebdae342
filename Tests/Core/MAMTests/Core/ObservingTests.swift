import Glibc
import JSON
import Support
import TestSupport
import Testing

@testable import MAM
@testable import Model
@testable import SQLite
@testable import Tenancy

/// A core that only looks at a state that others use.
@Suite(.timeLimit(.minutes(5)), .ownThreads) struct ObservingTests {
  private let fixture = CoreFixture()

  private func observer(_ flags: String..., tenant: TenantLocation? = nil) throws -> Core {
    var settings = Settings()
    for flag in flags { try settings.set(flag: flag) }
    var configuration = CoreConfiguration(
      stateFolder: fixture.state, tenant: tenant ?? .folder(fixture.tenant.path), settings: settings,
      clock: fixture.clock)
    configuration.isObserving = true
    return Core(configuration)
  }

  /// The bytes of every file below a folder.
  private func contents(of folder: String) -> [String: [UInt8]] {
    filesOf(folder: folder).reduce(into: [:]) { contents, path in
      var status = stat()
      if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
        contents[path] = []
        contents.merge(self.contents(of: path)) { $1 }
      } else {
        contents[path] = readFile(path) ?? []
      }
    }
  }

  private func report(of core: Core) throws -> DiagnosticInformation {
    try core.diagnostics.information(version: "0", sdkVersion: "0")
  }

  @Test(
    "An observing core sees accounts, verdicts and events, and changes no file of the state", arguments: [false, true])
  func looks(hasEnded: Bool) throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    if hasEnded { core.end() }
    let before = contents(of: fixture.state.root)
    let observer = try observer("VerboseLoggingEnabled=true")
    let information = try report(of: observer)
    #expect(information.accounts.map(\.identity) == [TenantFolder.upn("alice")])
    #expect(information.accounts.first?.verdict == information.launch.verdict)
    #expect(information.sourceError == nil)
    #expect(try observer.events.list(EventQuery(after: 0)).events.count == fixture.events().count)
    #expect(try observer.refresh().log.query(LogQuery()).isEmpty == false)
    observer.end()
    #expect(contents(of: fixture.state.root) == before)
    withExtendedLifetime(core) {}
  }

  @Test("An observing core runs no due check-in, and fails each change with storeUnavailable")
  func due() throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    core.end()
    fixture.clock.advance(byMilliseconds: 40 * 24 * 3_600_000)
    let before = contents(of: fixture.state.root)
    for tenant in [TenantLocation.none, .folder(fixture.tenant.path)] {
      let observer = try observer(tenant: tenant)
      let account = try #require(report(of: observer).accounts.first)
      #expect(try #require(account.nextCheckInAt) < fixture.clock.now)
      #expect(account.life == .enrolled)
      #expect(!observer.alarm.isSet)
      for change in [
        { try observer.checkIn() }, { [try observer.enroll("bob")] }, { [try observer.unenroll("alice")] },
      ] as [() throws -> [Int]] {
        let error = #expect(throws: MAMError.self) { _ = try change() }
        #expect(error?.code == .storeUnavailable)
      }
      observer.end()
    }
    // The refused changes took their locks.
    let after = contents(of: fixture.state.root).filter { before[$0.key] != nil || !$0.key.hasSuffix(".lock") }
    #expect(after == before)
  }

  @Test("An observing core sees each change of another process at its next call")
  func changes() throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    let observer = try observer()
    for round in 0..<30 {
      #expect(try (round % 2 == 0 ? core.unenroll("alice") : core.enroll("alice")) > 99)
      #expect(try report(of: observer).accounts.count == round % 2)
      #expect(try observer.events.list(EventQuery(after: 0, limit: 1000)).events.count == fixture.events().count)
    }
  }

  @Test("An observing core can wait for an event of another process")
  func events() async throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    let observer = try observer()
    let newest = try observer.events.list(EventQuery(after: 0))
    async let page = observer.events.list(
      EventQuery(after: newest.next, stream: newest.stream), waitingUntil: .now + .seconds(30))
    await expectEventually(1) { observer.changes.waiterCount }
    #expect(try core.unenroll("alice") == 104)
    #expect(try await !page.events.isEmpty)
  }

  @Test("An observing core reports a missing state without creating it, and reads a replaced state anew")
  func missing() throws {
    let observer = try observer()
    let error = #expect(throws: MAMError.self) { try observer.refresh() }
    #expect(error?.code == .storeUnavailable)
    #expect(error?.path == fixture.state.database)
    #expect(!fixture.state.exists)
    #expect(!fixture.state.hasState)
    #expect(fixture.state.appsWithState.isEmpty)

    var core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    #expect(fixture.state.hasState)
    #expect(fixture.state.appsWithState == ["com.example.host"])
    let first = try observer.events.list(EventQuery(after: 0))
    core.end()
    #expect(rename(fixture.state.root, fixture.folder.file("gone")) == 0)
    #expect(throws: MAMError.self) { try observer.events.list(EventQuery(after: 0)) }
    #expect(!fixture.state.exists)
    core = try fixture.core()
    #expect(try core.enroll("bob") > 99)
    let second = try observer.events.list(EventQuery(after: 0))
    #expect(second.stream != first.stream)
    #expect(second.events.map(\.seq).first == 1)
  }

  @Test("An observing core works while other processes hold the locks and write to the store")
  func held() throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    _ = try core.protection.protect([1], for: .user("alice"))
    #expect(try core.checkIn() == [101])
    let locks = try [
      fixture.state.checkInLock, fixture.state.keys, fixture.state.apps,
    ].map { try LockingProcess($0) }
    let writer = try Connection(path: fixture.state.database)
    try writer.execute("BEGIN EXCLUSIVE; DELETE FROM accounts")
    let start = ContinuousClock.now
    let observer = try observer()
    #expect(try report(of: observer).accounts.count == 1)
    #expect(try observer.events.list(EventQuery(after: 0)).events.isEmpty == false)
    observer.end()
    #expect(start.duration(to: .now) < .seconds(3))
    try writer.execute("ROLLBACK")
    withExtendedLifetime(locks) {}
  }
}
