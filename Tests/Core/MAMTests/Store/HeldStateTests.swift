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

  @Test("Creating a key fails with stateInUse while another process holds the lock of its folder")
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

  @Test("Waiting for the check-in lock fails with stateInUse while another process holds it")
  func checkIn() throws {
    let path = fixture.state.checkInLock
    #expect(try core.checkIn() == [101])
    close(open(path, O_RDWR | O_CREAT, 0o600))
    let holder = try LockingProcess(path)
    expectInUse(path, failure { _ = try CheckInLock.withLock(path, isWaiting: true) { 1 } })
    #expect(try CheckInLock.withLock(path, isWaiting: false) { 1 } == nil)
    withExtendedLifetime(holder) {}
  }

  @Test("A wipe that another process runs fails with stateInUse, and continues after that process ends")
  func wipe() async throws {
    let position = try #require(try core.account("alice")?.position)
    var lock: WipeLock? = try WipeLock.acquire(fixture.state.wipeLock, position: position)
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

  @Test("While another process has a transaction open, a check-in fails at its deadline and can be retried")
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

  @Test("Calls that wait for the store in a queue end at their own deadlines")
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

  @Test("Ending a core with no names to forget does not wait for another writer")
  func end() throws {
    let other = try Connection(path: fixture.state.database)
    try other.execute("BEGIN IMMEDIATE")
    let start = ContinuousClock.now
    core.end()
    #expect(start.duration(to: .now) < .seconds(3))
    try other.execute("ROLLBACK")
  }

  @Test("Trying a lock that another process holds leaks no file descriptor")
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
