import Support

/// The one timer of a core, and whether the work that it starts runs.
final class Alarm: Sendable {
  private struct State {
    var pending: (due: Timestamp, timer: Timers.Timer)?
    var isRunning = false
    var isOff = false
  }

  private let state = Lock(State())
  private let idle = Semaphore()

  /// Lets the core do what is due, at once or after a delay, beside everything else. Nothing happens when the alarm is
  /// set for this time already, and while work runs: that sets it anew at its end.
  func set(for due: Timestamp, in delay: Duration, of core: Core) {
    let former = state.withLock { state -> Timers.Timer? in
      guard !state.isOff, !state.isRunning, state.pending?.due != due else { return nil }
      let former = state.pending?.timer
      state.pending = nil
      if delay > .zero {
        let timer = Timers.shared.after(delay) { [weak core] in core?.alarm.ring(core) }
        state.pending = (due, timer)
      } else {
        state.isRunning = true
        Self.run(core)
      }
      return former
    }
    former?.cancel()
  }

  func cancel() {
    state.withLock { $0.pending.take()?.timer }?.cancel()
  }

  /// Starts nothing any more, and waits for what runs.
  func turnOff(waitingAtMost duration: Duration) {
    let (timer, isRunning) = state.withLock { state -> (Timers.Timer?, Bool) in
      state.isOff = true
      return (state.pending.take()?.timer, state.isRunning)
    }
    timer?.cancel()
    if isRunning { idle.wait(atMost: duration) }
  }

  var isSet: Bool { state.withLock { $0.pending != nil || $0.isRunning } }

  private func ring(_ core: Core?) {
    guard let core else { return }
    state.withLock { state in
      guard !state.isOff, !state.isRunning else { return }
      state.pending = nil
      state.isRunning = true
      Self.run(core)
    }
  }

  private static func run(_ core: Core) {
    Task(executorPreference: BlockingExecutor.shared) {
      let pause = core.scheduler.runInBackground()
      core.alarm.didEnd()
      core.scheduler.arm(after: pause)
    }
  }

  private func didEnd() {
    state.withLock { $0.isRunning = false }
    idle.signal()
  }
}
