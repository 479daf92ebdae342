import Support
import Testing

/// For a suite whose tests block their thread while they wait: it runs on threads made for that, and the cooperative
/// pool, which has as many as there are cores, is left to what they wait for.
///
/// Only so many suites run at one time, so that the time limit of a test does not begin long before it has a thread.
package struct OwnThreads: SuiteTrait, TestScoping {
  private static let executor = BlockingExecutor(threadCount: 8)
  private static let turns = Turns(2)

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    await Self.turns.begin()
    defer { Self.turns.end() }
    try await withTaskExecutorPreference(Self.executor) { try await function() }
  }
}

extension Trait where Self == OwnThreads {
  package static var ownThreads: Self { Self() }
}

/// A counting semaphore for tasks.
private final class Turns: Sendable {
  private struct State {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Lock<State>

  init(_ count: Int) {
    state = Lock(State(free: count))
  }

  func begin() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        guard state.free == 0 else {
          state.free -= 1
          return true
        }
        state.waiting.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  func end() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if state.waiting.isEmpty { state.free += 1 }
      return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
    }
    next?.resume()
  }
}
