import Glibc
import Model
import SQLite
import Support
import TestSupport
import Testing

@testable import MAM
@testable import Vault

@Suite(.timeLimit(.minutes(5))) struct FailedWipeTests {
  let world: WipeFixture

  init() throws {
    world = try WipeFixture()
  }

  /// A folder in the place of the key file, which is moved away: nobody can overwrite it.
  private func obstructKeys() throws -> (file: String, copy: String) {
    let name = try #require(KeyName(DataOwner(core.account("alice")?.account ?? .noUser), .app("com.example.host")))
    let before = try keyFiles()
    let key = try core.refresh().keys.newestKey(name)
    let file = try #require(
      before.first { file in
        readFile(file).map { page in page.count == 4096 && Array(page[16..<32]) == key.id.bytes } ?? false
      })
    #expect(rename(file, file + ".away") == 0)
    #expect(mkdir(file, 0o700) == 0)
    return (file, file + ".away")
  }

  private var core: Core { world.core }

  private func keyFiles() throws -> [String] {
    let keys = world.fixture.state.keys
    return try Folder.names(keys).filter { Folder.exists("\(keys)/\($0)") }.flatMap { folder in
      try Folder.names("\(keys)/\(folder)").filter { $0.hasSuffix(".key") }.map { "\(keys)/\(folder)/\($0)" }
    }
  }

  @Test("A key that cannot be removed is named with 215, reported once, and removed at a later try")
  func retried() async throws {
    let obstacle = try obstructKeys()
    let count = try world.fixture.events().count
    let status = try await core.enrollment.deRegisterAndUnenroll(.user("alice"), withWipe: true)
    #expect(status.statusCode == .failedToClearMamData)
    #expect(!status.didSucceed)
    #expect(status.errorString?.contains(obstacle.file) == true)
    #expect(try world.fixture.events().dropFirst(count).map(\.summary) == ["unenrollRequestWithStatus 215"])
    #expect(try world.files(of: "alice") == [])
    #expect(!world.isReadable(in: core))

    let shown = try #require(try core.source.status(of: .user("alice")).accounts.first)
    #expect(shown.life == .wiping)
    #expect(shown.lastStatus == status)
    #expect(shown.explanation.contains(obstacle.file))
    #expect(shown.nextCheckInAt == CoreFixture.start.advanced(by: 60_000))
    #expect(try await core.enrollment.enrollAndFollowUp(.user("alice")).statusCode == .failedToClearMamData)
    #expect(try await core.enrollment.checkInAndFollowUp(.user("alice")).map(\.statusCode) == [.failedToClearMamData])

    #expect(rmdir(obstacle.file) == 0)
    #expect(rename(obstacle.copy, obstacle.file) == 0)
    _ = try await core.scheduler.advanceAndFollowUp(byMilliseconds: 3_600_000)
    try world.expectTold()
    try world.expectGone(in: core)
  }

  @Test("Each failed wipe doubles the wait, and the log names what is left each time")
  func backOff() async throws {
    let obstacle = try obstructKeys()
    #expect(try await core.wipe("alice") == 215)
    for minutes in [1, 2, 4] as [Int64] {
      #expect(core.state.account(.user("alice"))?.plan.checkIn == core.now.advanced(by: minutes * 60_000))
      _ = try await core.scheduler.advanceAndFollowUp(byMilliseconds: minutes * 60_000)
    }
    #expect(try world.fixture.events().count { $0.status == 215 } == 1)
    let lines = try core.refresh().log.query(LogQuery(level: .error, text: obstacle.file, limit: 100))
    #expect(lines.count == 4)
  }

  @Test("A change of the device does not change the time of the next wipe attempt")
  func changedDevice() async throws {
    let obstacle = try obstructKeys()
    #expect(try await core.wipe("alice") == 215)
    let due = core.now.advanced(by: 60_000)
    for platform in [.android, .ios] as [DevicePlatform] {
      _ = try await core.hostDevice.change { $0.platform = platform }
      #expect(core.state.account(.user("alice"))?.due(on: core.state.deviceRecord) == due)
      #expect(core.state.nextWipe == due)
    }
    #expect(try core.refresh().log.query(LogQuery(level: .error, text: obstacle.file, limit: 100)).count == 1)
    #expect(core.state.account(.user("alice"))?.plan.checkIn == due)
  }

  @Test(
    "A wipe names a file that it cannot remove, and removes it once the folder is writable",
    .enabled(if: geteuid() != 0, "root may do all"))
  func keptFile() async throws {
    #expect(chmod(world.documents.folder.path, 0o500) == 0)
    defer { chmod(world.documents.folder.path, 0o700) }
    let status = try await core.enrollment.deRegisterAndUnenroll(.user("alice"), withWipe: true)
    #expect(status.statusCode == .failedToClearMamData)
    #expect(status.errorString?.contains("alice app") == true)
    #expect(status.errorString?.contains("2 more") == true)
    #expect(chmod(world.documents.folder.path, 0o700) == 0)
    #expect(try await core.wipe("alice") == 104)
    try world.expectGone(in: core)
  }

  @Test(
    "A wipe names an immutable file, and removes it once it can be changed",
    .enabled(if: Privileges.isRoot, "needs root"))
  func immutableFile() async throws {
    let path = world.documents.folder.file("alice app")
    guard Privileges.setImmutable(path, true) else { return }
    defer { _ = Privileges.setImmutable(path, false) }
    let status = try await core.enrollment.deRegisterAndUnenroll(.user("alice"), withWipe: true)
    #expect(status.statusCode == .failedToClearMamData)
    #expect(status.errorString?.contains(path) == true)
    #expect(try world.files(of: "alice") == ["alice app"])
    #expect(!world.isReadable(in: core))
    #expect(Privileges.setImmutable(path, false))
    #expect(try await core.wipe("alice") == 104)
    try world.expectGone(in: core)
  }

  @Test("A wipe leaves a locked file for a later try, and sends no event of a failure")
  func lockedFile() async throws {
    let path = world.documents.folder.file("alice plain")
    #expect(rename(world.documents.folder.file("alice renamed"), path) == 0)
    let before = try world.fixture.events().count
    var holder: LockingProcess? = try LockingProcess(path)
    let status = try await core.enrollment.deRegisterAndUnenroll(.user("alice"), withWipe: true)
    #expect(status.statusCode == .failedToClearMamData)
    #expect(status.errorString?.contains(path) == true)
    #expect(status.errorString?.contains("process \(holder?.identifier ?? 0) (flock)") == true)
    #expect(readFile(path)?.contains { $0 != 0 } == true)
    #expect(world.isReadable(in: core) == false)
    #expect(try world.fixture.events().dropFirst(before).map(\.summary).filter { $0.contains("unenroll") } == [])
    #expect(try core.account("alice")?.isWiping == true)
    let isDue = try #require(try core.source.status(of: .user("alice")).accounts.first?.nextCheckInAt)
    #expect(isDue > core.now)
    holder = nil
    #expect(holder == nil)
    _ = try await core.scheduler.advanceAndFollowUp(byMilliseconds: 3_600_000)
    try world.expectTold()
    try world.expectGone(in: core)
  }
}
