/// Calls back later, on its own thread, which starts with the first timer.
///
/// Not `Task.sleep`, which needs a free thread of the cooperative pool. Callbacks must not block.
package final class Timers: Sendable {
  package static let shared = Timers()

  /// A timer that can be cancelled, even after it has fired.
  package struct Timer: Sendable {
    fileprivate let id: Int
    fileprivate let owner: Timers

    package func cancel() { owner.remove(id) }
  }

  private struct Entry {
    let due: ContinuousClock.Instant
    let body: @Sendable () -> Void
  }

  private struct State {
    var entries: [Int: Entry] = [:]
    var lastID = 0
    var isRunning = false
    /// When the thread will next wake up by itself.
    var nextLook: ContinuousClock.Instant?

    mutating func takeDue() -> (due: [@Sendable () -> Void], next: ContinuousClock.Instant?) {
      let now = ContinuousClock.now
      let due = entries.filter { $0.value.due <= now }.sorted { $0.value.due < $1.value.due }
      for entry in due { entries[entry.key] = nil }
      nextLook = entries.values.lazy.map(\.due).min()
      return (due.map(\.value.body), nextLook)
    }
  }

  /// The longest sleep, so that a step of the wall clock delays nothing for long.
  private static let longestWait = Duration.seconds(10)

  private let state = Lock(State())
  private let wakeUp = Semaphore()

  package init() {}

  package func after(_ duration: Duration, _ body: @escaping @Sendable () -> Void) -> Timer {
    let due = ContinuousClock.now.advanced(by: duration)
    let (id, needsThread, isFirst) = state.withLock { state in
      state.lastID += 1
      state.entries[state.lastID] = Entry(due: due, body: body)
      let needsThread = !state.isRunning
      state.isRunning = true
      return (state.lastID, needsThread, state.nextLook.map { due < $0 } ?? true)
    }
    if needsThread { startThread() }
    if isFirst { wakeUp.signal() }
    return Timer(id: id, owner: self)
  }

  private func remove(_ id: Int) {
    // Release the entry outside the lock, because it may own another timer.
    let entry = state.withLock { $0.entries.removeValue(forKey: id) }
    withExtendedLifetime(entry) {}
  }

  /// If no thread can be started, the next timer tries again.
  private func startThread() {
    if OwnThread.start({ self.run() }) != nil { state.withLock { $0.isRunning = false } }
  }

  private func run() {
    while true {
      let (due, next) = state.withLock { $0.takeDue() }
      for body in due { body() }
      if let next {
        wakeUp.wait(atMost: min(Self.longestWait, ContinuousClock.now.duration(to: next)))
      } else {
        wakeUp.wait()
      }
    }
  }
}
