import Glibc
import Model
import SQLite
import TestSupport
import Testing

@testable import MAM
@testable import Vault

@Suite(.timeLimit(.minutes(5))) struct WipeTests {
  let world: WipeFixture

  init() throws {
    world = try WipeFixture()
  }

  @Test("A wipe removes the keys and files of the account, even renamed ones, and nothing of others")
  func wipe() async throws {
    let other = try world.newCore()
    #expect(world.isReadable(in: other))
    let count = try world.fixture.events().count
    #expect(try await world.core.wipe("alice") == 104)
    #expect(!world.isReadable(in: other))
    let told = try world.fixture.events().dropFirst(count)
    #expect(
      told.map(\.summary) == [
        "wipeDidComplete", "unenrollRequestWithStatus 104", "policyDidChange", "managementRemoved", "didChange",
      ])
    #expect(told.first?.body["accountId"]?.stringValue == TenantFolder.id("alice"))
    try world.expectGone(in: world.core)
    #expect(!world.isReadable(in: other))
    try world.expectOthers(in: other)
  }

  @Test(
    "The host is asked once to wipe; if it answers true, the core does not remove the files", arguments: [true, false])
  func host(_ answer: Bool) async throws {
    let host = WipeHost(answer)
    world.core.host = host
    #expect(try await world.core.wipe("alice") == 104)
    #expect(host.asked.withLock { $0.map(\.accountId) } == [TenantFolder.id("alice")])
    #expect(try world.files(of: "alice").count == (answer ? 3 : 0))
    #expect(!world.isReadable(in: world.core))
    let warnings = try world.fixture.warnings("the host removed its data, but 3", in: world.core)
    #expect(warnings.count == (answer ? 1 : 0))
    try world.expectOthers(in: world.core)
    try world.expectTold()
  }

  @Test("While a wipe is pending, no data of the account can be read or created, and its policy applies")
  func marked() throws {
    _ = try world.core.wipes.mark(.user("alice"), .host)
    let alice = AccountReference.user("alice")
    for core in [world.core, try world.newCore()] {
      #expect(!world.isReadable(in: core))
      #expect(code { _ = try core.protection.protect([1], for: alice) } == .failedToEncryptData)
      #expect(code { try core.files.protect(world.documents.path(), for: alice) } == .failedToEncryptData)
      #expect(code { try core.files.encrypt(world.documents.path(), for: alice) } == .failedToEncryptData)
      let new = world.documents.path("new")
      #expect(
        code { _ = try core.files.open(new, [.readWrite, .create], mode: 0o600, for: alice) }
          == .failedToEncryptData)
      #expect(code { _ = try core.files.draft(new, for: alice) } == .failedToEncryptData)
    }
    #expect(try world.core.enroll("alice") == 215)
    #expect(try world.core.account("alice")?.life == .wiping)
    #expect(try world.core.requiresEncryption("alice"))
    try world.expectOthers(in: world.core)
  }

  @Test("Keys that an account's apps share stay until the last of the apps is wiped")
  func lastApp() async throws {
    let state = StateFolder(root: world.fixture.state.root, appId: "com.example.other")
    let other = Core(
      CoreConfiguration(stateFolder: state, tenant: .folder(world.fixture.tenant.path), clock: world.fixture.clock))
    #expect(try other.enroll("alice") == 100)
    #expect(try await world.core.wipe("alice") == 104)
    #expect(!world.isReadable(in: world.core))
    #expect(world.isReadable(in: other))
    #expect(try await other.wipe("alice") == 104)
    #expect(try other.enroll("alice") == 100)
    #expect(!world.isReadable(in: other))
  }

  @Test("A wipe overwrites a plain file before it deletes the file")
  func overwritten() async throws {
    let file = try DiskFile(path: world.documents.folder.file("alice renamed"), flags: O_RDONLY)
    #expect(try await world.core.wipe("alice") == 104)
    #expect(try file.start(count: 100).allSatisfy { $0 == 0 })
    #expect(try file.size() == 15)
  }

  @Test("A wipe forgets the objects of file providers that the account owns, and no others")
  func providerObjects() async throws {
    let owners = world.core.providerOwners
    try owners.setOwner(of: .item("alice's"), .user("alice"))
    try owners.setOwner(of: .item("frank's"), .user("frank"))
    #expect(try await world.core.wipe("alice") == 104)
    #expect(try owners.protectionInfo(of: .item("alice's"))?.identity == nil)
    #expect(try owners.protectionInfo(of: .item("frank's"))?.identity == TenantFolder.upn("frank"))
  }

  @Test("A wipe overwrites the header of an encrypted file, even if the file is still open")
  func headerGone() async throws {
    let file = try DiskFile(path: world.documents.folder.file("alice app"), flags: O_RDONLY)
    #expect(try await world.core.wipe("alice") == 104)
    #expect(try file.start(count: FileLayout.pageSize) == [UInt8](repeating: 0, count: FileLayout.pageSize))
  }

  @Test("A wipe removes a file that was moved into a subfolder, and one with a damaged header")
  func hidden() async throws {
    let folder = world.documents.folder
    folder.write("", to: "below/deep/other")
    #expect(rename(folder.file("alice renamed"), folder.file("below/deep/moved")) == 0)
    let file = try DiskFile(path: folder.file("alice app"), flags: O_RDWR)
    try ([0xFF] as [UInt8]).withRawBytes { bytes throws(MAMError) in try file.write(bytes, at: 9) }
    #expect(try await world.core.wipe("alice") == 104)
    #expect(readFile(folder.file("below/deep/moved")) == nil)
    #expect(readFile(folder.file("below/deep/other")) != nil)
    try world.expectGone(in: world.core)
  }

  @Test(
    "A wipe removes a temporary file of a killed process, even a read-only one", arguments: [0o600, 0o400] as [mode_t])
  func leftover(_ mode: mode_t) async throws {
    let files = try world.core.refresh().files.temporary
    do {
      let temporary = try files.make(for: FileLocation(world.documents.path()))
      try Array("plain".utf8).withRawBytes { bytes throws(MAMError) in try temporary.file.write(bytes, at: 0) }
      #expect(fchmod(temporary.file.descriptor, mode) == 0)
      #expect(try world.documents.names().contains { TemporaryName.isOne($0) })
    }
    #expect(try await world.core.wipe("alice") == 104)
    #expect(try !world.documents.names().contains { TemporaryName.isOne($0) })
    try world.expectGone(in: world.core)
  }

  @Test("A wipe also removes a key that was created after it destroyed the account's keys")
  func lateKey() async throws {
    let account = try #require(try world.core.wipes.mark(.user("alice"), .host).first)
    var run = try #require(try WipeRun(world.core.wipes, position: account.position))
    run.destroyKeys()
    let keys = try world.core.refresh().keys
    let name = try #require(KeyName(DataOwner(account.account), .app("com.example.host")))
    let late = try keys.newestKey(name)
    try await run.askHost()
    try run.removeFiles()
    run.leaveApps()
    try run.verify()
    #expect(try run.end().didSucceed)
    #expect(try keys.key(late.id, of: name) == nil)
    let state = world.fixture.state.keys
    let pages = try Folder.names(state).compactMap { readFile("\(state)/\($0)/1.key") }
    #expect(pages.count { Array($0[16..<32]) == late.id.bytes } == 0)
    try world.expectGone(in: world.core)
  }

  @Test("If a file is created after a wipe removed the others, the wipe stays pending until the next try")
  func lateFile() async throws {
    let account = try #require(try world.core.wipes.mark(.user("alice"), .host).first)
    var run = try #require(try WipeRun(world.core.wipes, position: account.position))
    run.destroyKeys()
    try await run.askHost()
    try run.removeFiles()
    world.documents.write("late", to: "alice late")
    try world.own("alice late", by: "alice")
    run.leaveApps()
    try run.verify()
    #expect(try run.end().statusCode == .failedToClearMamData)
    #expect(try world.files(of: "alice") == ["alice late"])
    #expect(try world.core.account("alice")?.isWiping == true)
    #expect(try await world.core.wipe("alice") == 104)
    try world.expectGone(in: world.core)
  }

  @Test("A second request for a wipe does not restart it or change its cause")
  func wantedAgain() async throws {
    let host = WipeHost(true)
    world.core.host = host
    let account = try #require(try world.core.wipes.mark(.user("alice"), .host).first)
    var run = try #require(try WipeRun(world.core.wipes, position: account.position))
    run.destroyKeys()
    try await run.askHost()
    _ = try world.core.wipes.mark(.user("alice"), .administratorBlock())
    let wipes = try world.core.refresh().store.read { connection throws(SQLiteError) in
      try connection.dictionary(StoredWipe.table)
    }
    #expect(wipes == [account.position: StoredWipe(reason: .host, answer: .host)])
    #expect(try await world.core.wipe("alice") == 104)
    #expect(host.asked.withLock { $0.count } == 1)
    #expect(try world.core.account("alice") == nil)
  }

  @Test("A wipe does not remove a file that now belongs to another account")
  func givenAway() async throws {
    try world.own("alice renamed", by: "frank")
    #expect(try await world.core.wipe("alice") == 104)
    #expect(try world.files(of: "alice") == ["alice renamed"])
  }

  @Test("A wipe removes the files of an account that was never enrolled")
  func registeredOnly() async throws {
    #expect(try world.core.enroll("carol") == 225)
    world.documents.write("text", to: "carol plain")
    try world.own("carol plain", by: "carol")
    #expect(try await world.core.wipe("carol") == 104)
    #expect(try world.files(of: "carol") == [])
    #expect(try world.core.account("carol") == nil)
  }

  @Test("Wiping an unregistered account ends with 214 and sends only that status")
  func unknown() async throws {
    let count = try world.fixture.events().count
    #expect(try await world.core.wipe("bob") == 214)
    #expect(try world.fixture.events().dropFirst(count).map(\.summary) == ["unenrollRequestWithStatus 214"])
  }

  @Test("A wipe by a conditional launch rule removes the same data and logs the rule")
  func conditionalLaunch() async throws {
    let status = try await world.core.wipes.wipe(
      .user("alice"), .rule(.minimumWipeOsVersion, "the device has 16.0", of: nil))
    #expect(status?.statusCode == .unenrollmentSuccess)
    let lines = try world.core.refresh().log.query(LogQuery(text: "minimumWipeOsVersion: the device has 16.0"))
    #expect(lines.count == 1)
    try world.expectTold()
    try world.expectGone(in: world.core)
  }
}

extension Core {
  fileprivate func requiresEncryption(_ name: String) throws -> Bool {
    try account(name)?.isFileEncryptionRequired ?? false
  }
}
