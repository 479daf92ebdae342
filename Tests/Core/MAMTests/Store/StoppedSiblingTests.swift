import Glibc
import Model
import Support
import TestSupport
import Testing

@testable import MAM
@testable import Vault

/// A process on the same state folder and file that is stopped whenever, and goes on later.
@Suite(.timeLimit(.minutes(5)), .ownThreads, .enabled(if: ChildProcess.isPossible)) struct StoppedSiblingTests {
  private static let stops = 200
  private let fixture: HandleFixture

  init() throws {
    fixture = try HandleFixture()
    let file = try fixture.create()
    try file.write([UInt8](repeating: 1, count: 20_000))
    file.close()
  }

  @Test("While a sibling process is stopped, every call succeeds or fails with a retryable error in time")
  func stopped() throws {
    let sibling = try #require(ChildProcess(.busy, fixture.fixture))
    defer { sibling.kill() }
    #expect(sibling.waitForReport())
    var random = SeededGenerator(state: 11)
    var refused = 0
    for stop in 0..<Self.stops {
      usleep(UInt32.random(in: 0..<5000, using: &random))
      sibling.send(signal: SIGSTOP)
      refused += try calls(stop).count { !isAnswered($0) }
      sibling.send(signal: SIGCONT)
    }
    // Else nothing was tried.
    #expect(refused > 0)
    #expect(try fixture.core.checkIn() == [101])
  }

  private func calls(_ stop: Int) throws -> [() throws -> Void] {
    let (core, path) = (fixture.core, try fixture.path())
    return [
      { _ = try core.files.open(path, [.readOnly]).read(100) },
      { try core.files.open(path, [.readWrite]).write([UInt8(stop & 0xFF)], at: 5000) },
      { _ = try core.protection.protect([1, 2, 3], for: .user("alice")) },
      { try core.providerOwners.setOwner(of: .item("item \(stop)"), .user("alice")) },
      { try core.refresh().keys.addApp(of: core.state.owner(.user("alice"))) },
    ]
  }

  /// False for an error that the host may try again after.
  private func isAnswered(_ body: () throws -> Void) -> Bool {
    let start = ContinuousClock.now
    // Where a sibling stops in the middle of a commit, SQLite itself looks again for almost 10 seconds (walTryBeginRead).
    defer { #expect(start.duration(to: .now) < .seconds(15)) }
    do {
      try CallContext.$current.withValue(CallContext(deadline: start + .milliseconds(50))) { try body() }
      return true
    } catch {
      #expect((error as? MAMError)?.isRetryable == true, "\(error)")
      return false
    }
  }
}
