import Support

/// Counts the lines that could not be written until one can be again.
final class LogOutage: Sendable {
  struct Loss: Sendable {
    var count: Int
    var since: Timestamp
    var code: Int32
  }

  private struct State {
    var loss: Loss?
    var wasReported = false
  }

  private let state = Lock(State())

  /// What is lost so far; the caller puts it back with `add` when it cannot write that down either.
  func take() -> Loss? {
    state.withLock { state in
      defer { state.loss = nil }
      return state.loss
    }
  }

  /// True for the first loss since the process started.
  func add(_ loss: Loss) -> Bool {
    state.withLock { state in
      state.loss = Loss(
        count: loss.count + (state.loss?.count ?? 0), since: min(loss.since, state.loss?.since ?? loss.since),
        code: loss.code)
      defer { state.wasReported = true }
      return !state.wasReported
    }
  }
}
