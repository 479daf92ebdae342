import Support

/// When a question to a source is given up. It can be moved while the question is open, because a person who signs in
/// needs longer than a program.
final class SourceDeadline: Sendable {
  private struct State {
    var time: ContinuousClock.Instant
    var timer: Timers.Timer?
    var giveUp: (@Sendable () -> Void)?
  }

  private let state: Lock<State>

  init(_ time: ContinuousClock.Instant) { state = Lock(State(time: time)) }

  /// Calls `giveUp` at the deadline, unless `end` comes first.
  func begin(_ giveUp: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.giveUp = giveUp
      Self.setTimer(&state)
    }
  }

  func move(to time: ContinuousClock.Instant) {
    state.withLock { state in
      state.time = time
      guard state.giveUp != nil else { return }
      Self.setTimer(&state)
    }
  }

  func end() {
    state.withLock { state in
      state.timer?.cancel()
      (state.timer, state.giveUp) = (nil, nil)
    }
  }

  private static func setTimer(_ state: inout State) {
    state.timer?.cancel()
    guard let giveUp = state.giveUp else { return }
    state.timer = Timers.shared.after(ContinuousClock.now.duration(to: state.time), giveUp)
  }
}
