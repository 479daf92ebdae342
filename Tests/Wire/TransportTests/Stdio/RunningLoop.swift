import Glibc
import JSONRPC
import Support

@testable import Transport

/// A stdio loop on a thread of its own, over descriptors of the test.
final class RunningLoop {
  enum Kind: CaseIterable {
    case pipes, sockets
  }

  let handler = FakeHandler()
  let toServer: Stream
  let fromServer: Stream
  /// As they were given to the loop, which the thread closes behind it.
  let inherited: (input: Int32, output: Int32)
  private let thread: TestThread<Int32>
  private let threadID = Lock<pthread_t?>(nil)
  private let started = Semaphore()

  init(_ kind: Kind, limits: SessionLimits = SessionLimits(), graceSeconds: Double = 30, lastSeconds: Double = 10) {
    let (input, output) = (Self.pair(kind), Self.pair(kind))
    toServer = Stream(input.write)
    fromServer = Stream(output.read)
    inherited = (input.read, output.write)
    thread = TestThread { [handler, inherited, threadID, started] in
      let signals = TerminationSignals()
      threadID.withLock { $0 = pthread_self() }
      started.signal()
      let loop = StdioLoop(
        input: inherited.input, output: inherited.output, signals: signals, graceSeconds: graceSeconds,
        lastSeconds: lastSeconds
      ) { wake in Session(handler: handler, limits: limits, wake: wake) }
      defer {
        close(inherited.input)
        close(inherited.output)
      }
      return loop.run()
    }
    started.wait()
  }

  func exitCode() -> Int32? { thread.join() }

  /// To the thread of the loop alone.
  func send(signal: Int32) {
    guard let thread = threadID.withLock({ $0 }) else { return }
    pthread_kill(thread, signal)
  }

  private static func pair(_ kind: Kind) -> (read: Int32, write: Int32) {
    var descriptors: [Int32] = [-1, -1]
    switch kind {
    case .pipes: pipe(&descriptors)
    case .sockets: socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &descriptors)
    }
    for descriptor in descriptors { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    return (descriptors[0], descriptors[1])
  }
}
