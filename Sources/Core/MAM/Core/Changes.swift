import Support
import Vault

/// Lets any number of tasks wait until the epoch page changes.
///
/// A commit of this core wakes them at once. For commits of other processes, one task checks the page every 250 ms, but
/// only while somebody waits.
package final class Changes: Sendable {
  /// The value of an epoch page at one moment.
  package struct Mark: Sendable {
    fileprivate let page: EpochPage
    fileprivate let value: UInt64

    init(_ page: EpochPage) {
      self.page = page
      value = page.value
    }

    /// A different page means that the state folder was replaced.
    fileprivate func isPassed(on page: EpochPage? = nil) -> Bool {
      self.page.value != value || page.map { $0 !== self.page } ?? false
    }
  }

  private struct Waiter {
    let mark: Mark
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var waiters: [Int: Waiter] = [:]
    var isPolling = false
    var count = 0

    mutating func nextID() -> Int {
      count += 1
      return count
    }

    mutating func takePassed(on page: EpochPage?) -> [Waiter] {
      let passed = waiters.filter { $0.value.mark.isPassed(on: page) }
      for id in passed.keys { waiters[id] = nil }
      return Array(passed.values)
    }
  }

  static let pollInterval = Duration.milliseconds(250)
  private let state = Lock(State())

  /// Returns false if the deadline passes or the task is cancelled first.
  package func wait(beyond mark: Mark, until deadline: ContinuousClock.Instant? = nil) async -> Bool {
    let id = state.withLock { $0.nextID() }
    let timer = deadline.map { deadline in
      Task(executorPreference: BlockingExecutor.shared) { [weak self] in
        // A cancelled timer belongs to a waiter that is gone.
        try? await Task.sleep(until: deadline, clock: .continuous)
        self?.giveUp(id)
      }
    }
    defer { timer?.cancel() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { enter(Waiter(mark: mark, continuation: $0), id, deadline) }
    } onCancel: {
      giveUp(id)
    }
  }

  var isPolling: Bool { state.withLock { $0.isPolling } }
  var waiterCount: Int { state.withLock { $0.waiters.count } }

  private func enter(_ waiter: Waiter, _ id: Int, _ deadline: ContinuousClock.Instant?) {
    let (isEntered, needsPoller) = state.withLock { state in
      guard !waiter.mark.isPassed() else { return (false, false) }
      state.waiters[id] = waiter
      defer { state.isPolling = true }
      return (true, !state.isPolling)
    }
    if needsPoller { poll() }
    guard isEntered else { return waiter.continuation.resume(returning: true) }
    // The timer or the cancellation may have come earlier, and found no waiter.
    if Task.isCancelled || deadline.map({ $0 <= .now }) ?? false { giveUp(id) }
  }

  private func giveUp(_ id: Int) {
    state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume(returning: false)
  }

  /// Ends the waits whose change has come. Call this with the page after a commit, and after a state folder was opened.
  func resumePassed(on page: EpochPage?) {
    for waiter in state.withLock({ $0.takePassed(on: page) }) { waiter.continuation.resume(returning: true) }
  }

  private func poll() {
    Task(executorPreference: BlockingExecutor.shared) { [weak self] in
      repeat { try? await Task.sleep(for: Self.pollInterval) } while self?.look() == true
    }
  }

  /// Returns false if nobody waits any longer.
  private func look() -> Bool {
    resumePassed(on: nil)
    return state.withLock { state in
      state.isPolling = !state.waiters.isEmpty
      return state.isPolling
    }
  }
}
