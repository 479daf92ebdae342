import Support

/// Jobs for threads that block, in the order in which they came.
package final class WorkQueue<Job: Sendable>: Sendable {
  private struct State {
    var jobs: [Job] = []
    var next = 0
    var isClosed = false

    mutating func take() -> Job? {
      guard next < jobs.count else { return nil }
      defer { dropTaken() }
      next += 1
      return jobs[next - 1]
    }

    /// Keeps the list from growing without limit if it is never empty.
    private mutating func dropTaken() {
      guard next == jobs.count || next > 64 && next > jobs.count / 2 else { return }
      jobs.removeSubrange(..<next)
      next = 0
    }
  }

  private let limit: Int
  private let state = Lock(State())
  private let wakeUp = Semaphore()

  /// `limit` is how many jobs may wait.
  package init(limit: Int) {
    self.limit = limit
  }

  /// Returns why the job was not added; `nil` if it was.
  package func add(_ job: Job) -> DatabaseError? {
    let refusal = state.withLock { state -> DatabaseError? in
      guard !state.isClosed else { return DatabaseError(.unavailable, "the database is closed") }
      guard state.jobs.count - state.next < limit else {
        return DatabaseError(.unavailable, "\(limit) requests wait for the database already")
      }
      state.jobs.append(job)
      return nil
    }
    if refusal == nil { wakeUp.signal() }
    return refusal
  }

  /// Waits for a job. `nil` once the queue is closed and empty.
  package func next() -> Job? {
    while true {
      wakeUp.wait()
      let (job, isClosed) = state.withLock { ($0.take(), $0.isClosed) }
      if let job { return job }
      // Pass the wake-up on to another thread.
      if isClosed {
        wakeUp.signal()
        return nil
      }
    }
  }

  /// A job that waits already; `nil` if there is none.
  package func nextWaiting() -> Job? { state.withLock { $0.take() } }

  /// Lets the threads finish the jobs that wait, and refuses others.
  package func close() {
    state.withLock { $0.isClosed = true }
    wakeUp.signal()
  }
}

/// Threads of one owner, that end by themselves.
package final class WorkThreads: Sendable {
  private struct State {
    var running = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Lock(State())

  package init() {}

  /// Throws if the system has no more threads.
  package func start(_ body: @escaping @Sendable () -> Void) throws(DatabaseError) {
    state.withLock { $0.running += 1 }
    let failure = OwnThread.start { [self] in
      body()
      end()
    }
    guard let failure else { return }
    end()
    throw DatabaseError(.unavailable, "cannot start a thread: \(failure.text)")
  }

  /// Waits until all have ended.
  package func ended() async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if state.running > 0 { state.waiting.append(continuation) }
        return state.running == 0
      }
      if isOver { continuation.resume() }
    }
  }

  private func end() {
    let waiting = state.withLock { state in
      state.running -= 1
      guard state.running == 0 else { return [CheckedContinuation<Void, Never>]() }
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}
