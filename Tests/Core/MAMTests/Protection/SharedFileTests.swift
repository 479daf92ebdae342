import Dispatch
import Support
import TestSupport
import Testing

@testable import MAM

@Suite(.ownThreads) struct SharedFileTests {
  static let steps = 600

  @Test(
    "Two threads that share a file through two handles lose no write and read no torn data", arguments: [true, false])
  func threads(_ isEncrypting: Bool) throws {
    let files = try HandleFixture(encrypting: isEncrypting)
    try StripeWalk.prepare(files)
    let failures = Lock<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 2) { parity in
      do {
        var walk = try StripeWalk(parity: parity, seed: 7, files.core, in: files.fixture.folder.path)
        try walk.run(steps: Self.steps)
      } catch {
        failures.withLock { $0.append("\(error)") }
      }
    }
    #expect(failures.withLock { $0 } == [])
    try StripeWalk.checkJournal(files, steps: Self.steps)
  }

  @Test("Two processes that share a file lose no write and read no torn data", .enabled(if: ChildProcess.isPossible))
  func processes() throws {
    let files = try HandleFixture()
    try StripeWalk.prepare(files)
    let child = try #require(ChildProcess(.stripes, files.fixture))
    #expect(child.waitForReport())
    var walk = try StripeWalk(parity: 0, seed: 7, files.core, in: files.fixture.folder.path)
    try walk.run(steps: Self.steps)
    #expect(child.waitForEnd())
    try StripeWalk.checkJournal(files, steps: Self.steps)
  }
}
