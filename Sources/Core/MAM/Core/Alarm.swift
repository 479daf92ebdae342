import Model
import Support

/// The one timer of a core, and whether the work that it starts is running.
final class Alarm: Sendable {
  private struct State {
    /// `timer` is set a moment after `due`.
    var pending: (due: Timestamp, timer: Timers.Timer?)?
    var isRunning = false
    var isOff = false
  }

  private enum Step { case nothing, startTimer, run }

  /// Calls `didEnd` when it is done.
  typealias Action = @Sendable () async -> Void

  private let state = Lock(State())
  private let ended = Semaphore()

  var isSet: Bool { state.withLock { $0.pending != nil || $0.isRunning } }

  /// Starts the work at once or after a delay, concurrently with everything else. Does nothing if the alarm is already
  /// set for this time. Also does nothing while work is running, because the end of that work sets the alarm again.
  func set(for due: Timestamp, in delay: Duration, _ work: @escaping Action) {
    let (step, former) = state.withLock { state -> (Step, Timers.Timer?) in
      guard !state.isOff, !state.isRunning, state.pending?.due != due else { return (.nothing, nil) }
      let former = state.pending?.timer
      state.pending = delay > .zero ? (due, nil) : nil
      state.isRunning = delay <= .zero
      return (state.isRunning ? .run : .startTimer, former)
    }
    former?.cancel()
    switch step {
    case .nothing: return
    case .run: run(work)
    case .startTimer: startTimer(due, delay, work)
    }
  }

  func cancel() {
    state.withLock { $0.pending.take()?.timer }?.cancel()
  }

  /// Prevents further work, and waits for running work.
  func turnOff(waitingAtMost duration: Duration) {
    let timer = state.withLock { state -> Timers.Timer? in
      state.isOff = true
      return state.pending.take()?.timer
    }
    timer?.cancel()
    let end = ContinuousClock.now + duration
    while state.withLock({ $0.isRunning }), ContinuousClock.now < end {
      ended.wait(atMost: ContinuousClock.now.duration(to: end))
    }
  }

  func didEnd() {
    state.withLock { $0.isRunning = false }
    ended.signal()
  }

  private func startTimer(_ due: Timestamp, _ delay: Duration, _ work: @escaping Action) {
    let timer = Timers.shared.after(delay) { [weak self] in self?.ring(work) }
    let isWanted = state.withLock { state in
      guard state.pending?.due == due else { return false }
      state.pending?.timer = timer
      return true
    }
    if !isWanted { timer.cancel() }
  }

  private func ring(_ work: @escaping Action) {
    let mayRun = state.withLock { state in
      guard !state.isOff, !state.isRunning else { return false }
      state.pending = nil
      state.isRunning = true
      return true
    }
    if mayRun { run(work) }
  }

  private func run(_ work: @escaping Action) {
    Task(executorPreference: BlockingExecutor.shared) {
      // The work is not for the caller that set the alarm: it uses neither the caller's language nor its SDK level. A
      // wipe that a call begins may run here, and its progress is for the caller.
      let context = CallOrigin.current.map { CallContext.current(by: $0.unspoken) } ?? CallContext.current
      await CallContext.$current.withValue(context) { await work() }
    }
  }
}
