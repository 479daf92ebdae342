import Glibc
import Model
import Support
import TestSupport
import Testing

@testable import MAM
@testable import Vault

/// Files whose lock another process holds, as anybody who may read them can.
@Suite(.timeLimit(.minutes(5)), .ownThreads) struct HeldLockTests {
  private let fixture: HandleFixture
  private let text = [UInt8](repeating: 0x5A, count: 10_000)

  init() throws {
    fixture = try HandleFixture()
    let file = try fixture.create()
    try file.write(text)
    file.close()
    for path in [fixture.fixture.folder.path, fixture.fixture.folder.file("document")] { chmod(path, 0o755) }
  }

  private func locked(isOtherUser: Bool = false, isShared: Bool = false) throws -> LockingProcess {
    try LockingProcess(fixture.fixture.folder.file("document"), isOtherUser: isOtherUser, isShared: isShared)
  }

  /// The error of a call with a deadline, and how long it took.
  private func failure(
    within milliseconds: Int = 200, _ body: () throws -> Void
  ) -> (error: MAMError?, time: Duration) {
    let context = CallContext(deadline: .now + .milliseconds(milliseconds))
    return CallContext.$current.withValue(context) { timedFailure(body) }
  }

  private func timedFailure(_ body: () throws -> Void) -> (error: MAMError?, time: Duration) {
    let start = ContinuousClock.now
    do {
      try body()
      return (nil, start.duration(to: .now))
    } catch {
      return (error as? MAMError, start.duration(to: .now))
    }
  }

  private func expectInUse(
    _ holder: LockingProcess, within limit: Duration, _ found: (error: MAMError?, time: Duration)
  ) {
    #expect(found.error?.code == .fileInUse)
    #expect(found.error?.isRetryable == true)
    #expect(found.error?.message.contains("process \(holder.identifier) (flock)") == true)
    #expect(found.time < limit)
  }

  @Test(
    "Writing to a file locked by another user ends at the deadline and names the holder",
    .enabled(if: LockingProcess.canBeOtherUser, "only root can run a program as another user"))
  func otherUser() throws {
    let writer = try fixture.open(.readWrite)
    let holder = try locked(isOtherUser: true)
    expectInUse(holder, within: .seconds(2), failure { try writer.write([1], at: 0) })
    expectInUse(holder, within: .seconds(2), failure { _ = try fixture.open(.readWrite) })
  }

  @Test(
    "A change of a file ends at its deadline while another process holds a shared or exclusive lock",
    arguments: [false, true])
  func changes(isShared: Bool) throws {
    let writer = try fixture.open(.readWrite)
    let holder = try locked(isShared: isShared)
    let changes: [() throws -> Void] = [
      { try writer.write([1], at: 0) }, { try writer.truncate(to: 0) }, { _ = try fixture.open(.writeOnly) },
    ]
    for body in changes {
      expectInUse(holder, within: .seconds(2), failure(body))
    }
    #expect(try fixture.open(.readOnly).content() == text)
  }

  @Test("A file can be opened, read and checked at once while another process holds its lock")
  func reading() throws {
    let holder = try locked()
    let found = timedFailure {
      let file = try fixture.open(.readOnly)
      #expect(try file.size() == UInt64(text.count))
      #expect(try file.content() == text)
      file.close()
      #expect(try FileCheck(fixture.core.files.survey(fixture.path())).damage.isEmpty)
    }
    #expect(found.error == nil)
    #expect(found.time < .seconds(1))
    withExtendedLifetime(holder) {}
  }

  @Test("A damaged page is reported even while another process holds a shared lock")
  func damage() throws {
    let path = fixture.fixture.folder.file("document")
    let file = try fixture.open(.readOnly)
    let disk = try DiskFile(path: path, flags: O_RDWR)
    try [0xFF as UInt8].withRawBytes { bytes throws(MAMError) in try disk.write(bytes, at: 5000) }
    let reader = try locked(isShared: true)
    #expect(failure { _ = try file.content() }.error?.code == .fileDamaged)
    withExtendedLifetime(reader) {}
  }

  @Test("Without a deadline, a call waits at most 5 seconds in total for locks")
  func noDeadline() throws {
    let (writer, holder) = (try fixture.open(.readWrite), try locked())
    let context = CallContext()
    let first = CallContext.$current.withValue(context) { timedFailure { try writer.write([1], at: 0) } }
    expectInUse(holder, within: .seconds(8), first)
    #expect(first.time > .seconds(4))
    let second = CallContext.$current.withValue(context) { timedFailure { try writer.write([1], at: 0) } }
    expectInUse(holder, within: .seconds(1), second)
  }

  @Test("A canceled call stops waiting for a lock")
  func cancelled() async throws {
    let (writer, holder) = (try fixture.open(.readWrite), try locked())
    let context = CallContext(deadline: .now + .seconds(60))
    _ = Timers.shared.after(.milliseconds(100)) { _ = context.commitPoint.abandon() }
    let found = CallContext.$current.withValue(context) { timedFailure { try writer.write([1], at: 0) } }
    expectInUse(holder, within: .seconds(5), found)
  }

  @Test("Closing a written file does not wait for a lock, and its content is complete")
  func closing() throws {
    let writer = try fixture.open(.readWrite)
    try writer.write([1, 2, 3], at: 0)
    let holder = try locked()
    #expect(timedFailure { writer.close() }.time < .seconds(2))
    withExtendedLifetime(holder) {}
    #expect(try fixture.open(.readOnly).content() == [1, 2, 3] + text.dropFirst(3))
  }

  @Test("A waiting write continues when the lock is released")
  func released() throws {
    let writer = try fixture.open(.readWrite)
    var holder: LockingProcess? = try locked()
    let semaphore = Semaphore()
    Task(executorPreference: BlockingExecutor.shared) {
      defer { semaphore.signal() }
      try writer.write([7], at: 0)
    }
    usleep(50_000)
    holder = nil
    semaphore.wait()
    #expect(holder == nil)
    #expect(try fixture.open(.readOnly).content().first == 7)
  }

  @Test("Calls that wait for a lock do not use up the threads of other calls")
  func threads() async throws {
    let (writers, holder) = (try (0..<12).map { _ in try fixture.open(.readWrite) }, try locked())
    let contexts = writers.map { _ in CallContext(deadline: .now + .seconds(30)) }
    let waiting = zip(writers, contexts).map { writer, context in
      Task(executorPreference: BlockingExecutor.shared) {
        CallContext.$current.withValue(context) { _ = try? writer.write([1], at: 0) }
      }
    }
    let start = ContinuousClock.now
    for _ in 0..<20 { await Task(executorPreference: BlockingExecutor.shared) {}.value }
    #expect(start.duration(to: .now) < .seconds(5))
    for context in contexts { _ = context.commitPoint.abandon() }
    for task in waiting { await task.value }
    withExtendedLifetime(holder) {}
  }
}
