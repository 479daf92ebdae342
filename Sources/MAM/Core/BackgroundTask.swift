import Support

/// A task that runs until its core ends.
final class BackgroundTask: Sendable {
  private enum State {
    case waiting
    case running(Task<Void, Never>)
    case over
  }

  private let state = Lock(State.waiting)

  /// Starts the work the first time that it is called, unless the core has ended.
  func start(_ work: @escaping @Sendable () async -> Void) {
    state.withLock { state in
      guard case .waiting = state else { return }
      state = .running(Task(executorPreference: BlockingExecutor.shared) { await work() })
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
