import Support

/// The clock of a machine that tests run, set, switch off and start again.
package final class MachineClock: Clock {
  private struct State {
    var now: Timestamp
    var uptime: Int64 = 3_600_000
    var boots = 1
    var namesBoots = true
  }

  private let state: Lock<State>

  package init(startingAt start: Timestamp) {
    state = Lock(State(now: start))
  }

  package var now: Timestamp { state.withLock { $0.now } }
  package var uptime: Uptime? {
    state.withLock { Uptime(boot: $0.namesBoots ? "boot \($0.boots)" : "", milliseconds: $0.uptime) }
  }

  /// Lets time pass, awake or asleep.
  package func run(milliseconds: Int64) {
    state.withLock { state in
      state.now = state.now.advanced(by: milliseconds)
      state.uptime += milliseconds
    }
  }

  /// Sets the clock forward, or back.
  package func jump(milliseconds: Int64) { state.withLock { $0.now = $0.now.advanced(by: milliseconds) } }

  /// Switches the machine off for a time.
  package func switchOff(milliseconds: Int64) {
    state.withLock { state in
      state.now = state.now.advanced(by: milliseconds)
      (state.uptime, state.boots) = (20_000, state.boots + 1)
    }
  }

  /// From now on, the system does not say which start of the machine this is.
  package func forgetBoots() { state.withLock { $0.namesBoots = false } }
}
