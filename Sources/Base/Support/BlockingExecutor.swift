/// Four threads for blocking work (SQLite, files, scrypt).
///
/// The cooperative pool has only as many threads as cores, so two fsyncs would stall cancels and deadlines. The threads
/// start with the first job and live as long as the process.
package final class BlockingExecutor: TaskExecutor {
  package static let shared = BlockingExecutor(threadCount: 4)

  /// Each replacement takes the memory of a thread.
  private static let maximumReplaced = 64

  private struct State {
    var jobs: [UnownedJob] = []
    var next = 0
    var running = 0
    var idle = 0
    /// The number of threads that sleep until others act. Another thread stands in for each.
    var replaced = 0

    mutating func takeNext() -> UnownedJob? {
      guard next < jobs.count else { return nil }
      let job = jobs[next]
      next += 1
      if next == jobs.count || next > 64 && next > jobs.count / 2 { dropTaken() }
      return job
    }

    func needsThread(_ threadCount: Int) -> Bool {
      idle < jobs.count - next && running < threadCount + replaced
    }

    /// Whether there are too many threads, so that the calling one must end.
    mutating func isSurplus(_ threadCount: Int) -> Bool {
      guard running > threadCount + replaced else { return false }
      running -= 1
      return true
    }

    /// Keeps the list from growing without limit if the queue is never empty.
    private mutating func dropTaken() {
      jobs.removeSubrange(..<next)
      next = 0
    }
  }

  private let threadCount: Int
  private let state = Lock(State())
  private let wakeUp = Semaphore()

  package init(threadCount: Int) {
    self.threadCount = threadCount
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let unowned = UnownedJob(job)
    let needsThread = state.withLock { state in
      state.jobs.append(unowned)
      guard state.needsThread(threadCount) else { return false }
      state.running += 1
      return true
    }
    if needsThread && !startThread() { return runOneHere() }
    wakeUp.signal()
  }

  /// Runs a body that only sleeps. Meanwhile this thread does not count among the four, so that a waiting thread does
  /// not hold up other work. Returns false, without running the body, if too many threads sleep already.
  package func replacingThread(_ body: () -> Void) -> Bool {
    let (mayWait, needsThread) = state.withLock { state -> (Bool, Bool) in
      guard state.replaced < Self.maximumReplaced else { return (false, false) }
      state.replaced += 1
      guard state.needsThread(threadCount) else { return (true, false) }
      state.running += 1
      return (true, true)
    }
    guard mayWait else { return false }
    if needsThread { _ = startThread() }
    body()
    let isTooMany = state.withLock { state in
      state.replaced -= 1
      return state.running > threadCount + state.replaced
    }
    // Wake an idle thread, so that it ends.
    if isTooMany { wakeUp.signal() }
    return true
  }

  /// Returns false if the system has no more threads and none of ours is running.
  private func startThread() -> Bool {
    guard OwnThread.start({ self.run() }) != nil else { return true }
    return state.withLock { state in
      state.running -= 1
      return state.running > 0
    }
  }

  private func runOneHere() {
    state.withLock { $0.takeNext() }?.runSynchronously(on: asUnownedTaskExecutor())
  }

  private func run() {
    while true {
      state.withLock { $0.idle += 1 }
      wakeUp.wait()
      let (job, isSurplus) = state.withLock { state -> (UnownedJob?, Bool) in
        state.idle -= 1
        let isSurplus = state.isSurplus(threadCount)
        return (isSurplus ? nil : state.takeNext(), isSurplus)
      }
      // Pass the wake-up on to another thread.
      if isSurplus { return wakeUp.signal() }
      job?.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
