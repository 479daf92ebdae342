import JSONRPC
import Support

/// Work that waits for something to report, until it is told to end.
final class WaitingWork: Sendable {
  private struct State {
    var tasks: [Task<Result<[UInt8], RPCError>, Never>] = []
    var isEnded = false
  }

  private let state = Lock(State())

  func run(_ work: Work) async -> Result<[UInt8], RPCError> {
    let task = Task(executorPreference: BlockingExecutor.shared) { await Self.outcome(of: work) }
    let isEnded = state.withLock { state in
      state.tasks.append(task)
      return state.isEnded
    }
    if isEnded { task.cancel() }
    return await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
  }

  func end() {
    let tasks = state.withLock { state in
      state.isEnded = true
      return state.tasks
    }
    for task in tasks { task.cancel() }
  }

  private static func outcome(of work: Work) async -> Result<[UInt8], RPCError> {
    do throws(RPCError) {
      return .success(try await work.run())
    } catch {
      return .failure(error)
    }
  }
}
