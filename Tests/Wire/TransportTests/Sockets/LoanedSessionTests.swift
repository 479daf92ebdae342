import NIOCore
import NIOPosix
import Support
import Testing

@testable import Transport

/// What was done with it, in order. Its long work ends when the test says so.
private struct Recorder: Loanable {
  let gate: Support.Semaphore
  var seen: [Int] = []
  var hasLongWork = false

  mutating func record(_ number: Int, isLong: Bool = false) {
    seen.append(number)
    hasLongWork = isLong
  }

  mutating func runLong() {
    hasLongWork = false
    gate.wait()
  }
}

@Suite("A session that is lent to another thread", .timeLimit(.minutes(5)), .ownThreads)
struct LoanedSessionTests {
  @Test("Work that arrives while its session is lent to another thread is done in order")
  func order() throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    defer { try? group.syncShutdownGracefully() }
    let (loop, gate, isBack) = (group.next(), Support.Semaphore(), Support.Semaphore())
    let loaned = try loop.submit {
      let session = LoanedSession(Recorder(gate: gate), on: loop) { isBack.signal() }
      session.perform { $0.record(1, isLong: true) }
      for number in 2...6 { session.perform { $0.record(number, isLong: number == 4) } }
      #expect(session.isAway)
      return NIOLoopBound(session, eventLoop: loop)
    }.wait()
    gate.signal()
    gate.signal()
    isBack.wait()
    let seen = try loop.submit { loaned.value.ask { $0.seen } }.wait()
    #expect(seen == [1, 2, 3, 4, 5, 6])
    #expect(try loop.submit { loaned.value.isAway }.wait() == false)
  }
}
