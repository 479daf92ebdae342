import Glibc
import Support

/// Does pieces of work on several threads, until all are done or it is told to stop.
final class TestPool: Sendable {
  private struct State {
    var isStopped = false
    /// Whether nobody waits for the pieces that have begun.
    var isAbandoned = false
  }

  private let state = Lock(State())
  /// Signaled when a thread ends, and when the pool is abandoned.
  private let change = Support.Semaphore()

  static let mostThreads = 256

  /// As many threads as there are processors.
  static var usualThreads: Int { max(1, min(sysconf(Int32(_SC_NPROCESSORS_ONLN)), mostThreads)) }

  var isStopped: Bool { state.withLock { $0.isStopped } }

  /// Begins no other piece of work.
  func stop() { state.withLock { $0.isStopped = true } }

  /// Also waits no longer for the pieces that have begun.
  func abandon() {
    state.withLock { ($0.isStopped, $0.isAbandoned) = (true, true) }
    change.signal()
  }

  /// The results in the order of the numbers below `count`; `nil` if the pool was told to stop. Waits for the slowest
  /// piece of work. If the system has too few threads, uses those that it has.
  func results<Result: Sendable>(
    of count: Int, on threads: Int, _ body: @escaping @Sendable (Int) -> Result
  ) -> [Result]? {
    let work = PoolWork(count, body)
    var running = 0
    while running < min(threads, count) {
      let failure = OwnThread.start { [self] in
        work.runJobs(while: { !isStopped })
        change.signal()
      }
      guard failure == nil else { break }
      running += 1
    }
    if running == 0 { work.runJobs(while: { !isStopped }) }
    while running > 0, !state.withLock({ $0.isAbandoned }) {
      change.wait()
      running -= 1
    }
    return isStopped ? nil : work.finished
  }
}

/// Numbered pieces of work that threads take one after the other.
private final class PoolWork<Result: Sendable>: Sendable {
  private struct State {
    var next = 0
    var results: [Result?]
  }

  private let state: Lock<State>
  private let body: @Sendable (Int) -> Result

  init(_ count: Int, _ body: @escaping @Sendable (Int) -> Result) {
    state = Lock(State(results: Array(repeating: nil, count: count)))
    self.body = body
  }

  var finished: [Result] { state.withLock { $0.results.compactMap(\.self) } }

  func runJobs(while isWanted: () -> Bool) {
    while isWanted(), let number = takeNumber() {
      let result = body(number)
      state.withLock { $0.results[number] = result }
    }
  }

  private func takeNumber() -> Int? {
    state.withLock { state in
      guard state.next < state.results.count else { return nil }
      state.next += 1
      return state.next - 1
    }
  }
}
