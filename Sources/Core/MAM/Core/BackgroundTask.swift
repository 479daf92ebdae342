import Support

/// A task that runs until its core ends or is released.
final class BackgroundTask: Sendable {
  private enum State {
    case waiting
    case running(Task<Void, Never>)
    case over
  }

  private let state = Lock(State.waiting)

  deinit { end() }

  /// Starts the work the first time that it is called, unless the core has ended.
  func start(_ work: @escaping @Sendable () async -> Void) {
    state.withLock { state in
      guard case .waiting = state else { return }
      let task = Task(executorPreference: BlockingExecutor.shared) {
        // The work is not for the caller that starts it.
        await CallContext.$current.withValue(.byItself) { await work() }
      }
      state = .running(task)
    }
  }

  /// Cancels the work, without waiting for its end.
  func end() {
    state.withLock { state in
      if case .running(let task) = state { task.cancel() }
      state = .over
    }
  }
}
