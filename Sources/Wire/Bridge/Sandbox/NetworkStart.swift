import SourceProtocol
import Support

/// A start of the network of a sandbox, for which calls wait. It is given up when none waits any longer, and when the
/// sandbox ends.
final class NetworkStart: Sendable {
  typealias Outcome = Result<any DevelopmentTenant, DevelopmentFailure>

  private struct State {
    var calls = 0
    var waiting: Set<Int> = []
    var isGivenUp = false
  }

  private let state = Lock(State())
  private let end = Semaphore()
  private let task: Task<Outcome, Never>

  /// Begins when `former` has ended.
  init(after former: NetworkStart?, _ start: @escaping @Sendable () async -> Outcome) {
    task = Task(executorPreference: BlockingExecutor.shared) { [end] in
      _ = await former?.task.value
      defer { end.signal() }
      return Task.isCancelled ? .failure(DevelopmentFailure("nobody waits for the network")) : await start()
    }
  }

  /// Whether nobody waits for it any longer. A new call needs another start.
  var isGivenUp: Bool { state.withLock { $0.isGivenUp } }

  func outcome() async -> Outcome {
    let call = state.withLock { state in
      state.calls += 1
      state.waiting.insert(state.calls)
      return state.calls
    }
    return await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      let isLast = state.withLock { $0.waiting.remove(call) != nil && $0.waiting.isEmpty }
      if isLast { giveUp() }
    }
  }

  func giveUp() {
    state.withLock { $0.isGivenUp = true }
    task.cancel()
  }

  /// Waits until nothing of it runs.
  func waitForEnd() {
    end.wait()
    end.signal()
  }
}
