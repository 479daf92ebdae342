import Glibc
import Model
import SQLite
import Support
import TestSupport
import Testing

@testable import MAM
@testable import Vault

/// Locks of the state that another process holds, because it is stopped or has much to do.
@Suite(.timeLimit(.minutes(5)), .ownThreads) struct HeldStateTests {
  private let fixture = CoreFixture()
  private let core: Core

  init() throws {
    core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    _ = try core.protection.protect([1], for: .user("alice"))
  }

  private func failure(_ body: () throws -> Void) -> (error: MAMError?, time: Duration) {
    let start = ContinuousClock.now
    let context = CallContext(deadline: start + .milliseconds(200))
    do {
      try CallContext.$current.withValue(context) { try body() }
      return (nil, start.duration(to: .now))
    } catch {
      return (error as? MAMError, start.duration(to: .now))
    }
  }

  private func expectInUse(_ path: String, _ found: (error: MAMError?, time: Duration)) {
    #expect(found.error?.code == .stateInUse)
    #expect(found.error?.isRetryable == true)
    #expect(found.error?.path == path)
    #expect(found.time < .seconds(3))
  }

  @Test("The folder of a key, while another process holds its lock, is stateInUse, and nothing is made there")
  func keyFolder() throws {
    let name = try #require(KeyName(DataOwner(accountId: nil, tenantId: nil, identity: "bob"), .shared))
    let folder = try KeyFolder(name, in: fixture.state, storeKey: core.refresh().keys.storeKey())
    try Folder.make(folder.path, in: fixture.state.keys)
    var holder: LockingProcess? = try LockingProcess(folder.path)
    let found = failure { _ = try folder.newestOrNew() }
    expectInUse(folder.path, found)
    #expect(found.error?.message.contains("process \(holder?.identifier ?? 0) (flock)") == true)
    #expect(try folder.epochs().isEmpty)
    holder = nil
    #expect(try folder.newestOrNew().isNew)
    #expect(holder == nil)
  }

  @Test("The turn to check in, while another process holds it, is stateInUse for who waits for it")
  func checkIn() throws {
    let path = fixture.state.checkInLock
    #expect(try core.checkIn() == [101])
    close(open(path, O_RDWR | O_CREAT, 0o600))
    let holder = try LockingProcess(path)
    expectInUse(path, failure { _ = try CheckInLock.withLock(path, isWaiting: true) { 1 } })
    #expect(try CheckInLock.withLock(path, isWaiting: false) { 1 } == nil)
    withExtendedLifetime(holder) {}
  }

  @Test("A wipe that another process is at is stateInUse, stays marked, and is done when that process has died")
  func wipe() async throws {
    let position = try #require(try core.account("alice")?.position)
    var lock: WipeLock? = try WipeLock.take(fixture.state.wipeLock, position: position)
    let context = CallContext(deadline: .now + .milliseconds(200))
    let error = await #expect(throws: MAMError.self) {
      try await CallContext.$current.withValue(context) { _ = try await core.wipe("alice") }
    }
    #expect(error?.code == .stateInUse)
    #expect(error?.message.contains("another process") == true)
    #expect(try core.account("alice")?.isWiping == true)
    #expect(lock != nil)
    lock = nil
    try await core.wipes.finish(of: nil)
    #expect(try core.account("alice") == nil)
  }

  @Test("A transaction that another process does not end is an error that passes, at the deadline of each call")
  func transaction() throws {
    let other = try Connection(path: fixture.state.database)
    try other.execute("BEGIN IMMEDIATE")
    let found = failure { _ = try core.checkIn() }
    #expect(found.error?.code == .storeUnavailable)
    #expect(found.error?.isRetryable == true)
    #expect(found.time < .seconds(3))
    try other.execute("ROLLBACK")
    #expect(try core.checkIn() == [101])
  }

  @Test("Calls that wait behind one that waits for the store end at their own deadlines")
  func queue() async throws {
    let other = try Connection(path: fixture.state.database)
    try other.execute("BEGIN IMMEDIATE")
    let start = ContinuousClock.now
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask(executorPreference: BlockingExecutor.shared) {
          let found = failure { _ = try core.checkIn() }
          #expect(found.error?.code == .storeUnavailable)
        }
      }
    }
    #expect(start.duration(to: .now) < .seconds(3))
    try other.execute("ROLLBACK")
  }

  @Test("The end of a process without names to forget waits for no writer")
  func end() throws {
    let other = try Connection(path: fixture.state.database)
    try other.execute("BEGIN IMMEDIATE")
    let start = ContinuousClock.now
    core.end()
    #expect(start.duration(to: .now) < .seconds(3))
    try other.execute("ROLLBACK")
  }

  @Test("A lock that another process holds leaves no descriptor open")
  func descriptors() throws {
    let path = fixture.state.checkInLock
    close(open(path, O_RDWR | O_CREAT, 0o600))
    let (turn, keys) = (try LockingProcess(path), try LockingProcess(fixture.state.keys))
    let before = openDescriptorCount()
    for _ in 0..<20 {
      _ = try CheckInLock.withLock(path, isWaiting: false) { 1 }
      let context = CallContext(deadline: .now)
      #expect(throws: MAMError.self) {
        try CallContext.$current.withValue(context) {
          try Folder.withLock(fixture.state.keys) { () throws(MAMError) in }
        }
      }
    }
    #expect(openDescriptorCount() < before + 10)
    withExtendedLifetime((turn, keys)) {}
  }
}
