import Glibc
import Support
import Transport

/// Cancels work at SIGINT, SIGTERM or SIGHUP, so that it ends in order. A second signal ends the process at once.
final class Cancellation: Sendable {
  private struct State {
    var received: Int32?
    var task: Task<Int32, Never>?
  }

  private let signals = TerminationSignals()
  private let state = Lock(State())

  /// Make it before the process has other threads.
  init() {
    // If the system has no thread for it, signals are not noticed.
    _ = OwnThread.start { self.watch() }
  }

  /// 128 and the number of the signal; `nil` if none has come.
  var exitCode: Int32? { state.withLock { $0.received }.map { 128 + $0 } }

  /// Runs the work in a task that a signal cancels.
  func run(_ body: @escaping @Sendable () async -> Int32) async -> Int32 {
    let task = Task { await body() }
    let isLate = state.withLock { state in
      state.task = task
      return state.received != nil
    }
    if isLate { task.cancel() }
    return await task.value
  }

  private func watch() {
    while true {
      var polled = pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&polled, 1, -1) > 0, let number = signals.take() else { continue }
      let (isFirst, task) = state.withLock { state in
        defer { state.received = state.received ?? number }
        return (state.received == nil, state.task)
      }
      guard isFirst else { _exit(128 + number) }
      task?.cancel()
    }
  }
}
