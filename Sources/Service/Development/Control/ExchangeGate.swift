import Support

/// Lets requests through, except while the tenant is exchanged: then they wait.
final class ExchangeGate: Sendable {
  private struct State {
    var active = 0
    var isClosed = false
    /// Those who wait for the gate to open.
    var waiting: [CheckedContinuation<Void, Never>] = []
    /// Who waits for the last request to leave.
    var closer: CheckedContinuation<Void, Never>?
  }

  private let state = Lock(State())

  func pass<Result: Sendable>(_ body: () async -> Result) async -> Result {
    await enter { $0.active += 1 }
    defer { leave() }
    return await body()
  }

  /// Runs the body while no request is being answered, one such body after the other.
  func exchange<Result: Sendable>(_ body: () async -> Result) async -> Result {
    await enter { $0.isClosed = true }
    await withCheckedContinuation { continuation in
      let isEmpty = state.withLock { state in
        if state.active > 0 { state.closer = continuation }
        return state.active == 0
      }
      if isEmpty { continuation.resume() }
    }
    let result = await body()
    let waiting = state.withLock { state in
      defer { (state.isClosed, state.waiting) = (false, []) }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
    return result
  }

  /// Changes the state when the gate is open.
  private func enter(_ change: @Sendable (inout State) -> Void) async {
    while true {
      let entered = state.withLock { state in
        guard !state.isClosed else { return false }
        change(&state)
        return true
      }
      if entered { return }
      await withCheckedContinuation { continuation in
        let isClosed = state.withLock { state in
          if state.isClosed { state.waiting.append(continuation) }
          return state.isClosed
        }
        if !isClosed { continuation.resume() }
      }
    }
  }

  private func leave() {
    let closer = state.withLock { state in
      state.active -= 1
      guard state.active == 0 else { return nil as CheckedContinuation<Void, Never>? }
      defer { state.closer = nil }
      return state.closer
    }
    closer?.resume()
  }
}
