import Database
import Support

/// Finds out whether the store takes writes, for readiness: a store on a full disk, or a database that only reads, can
/// neither enroll nor wipe.
///
/// All who ask while a small commit runs share its outcome, so that there is one at a time. Nobody waits for long: a
/// database behind a network that drops everything does not answer at all.
final class StoreProbe: Sendable {
  private struct Waiter {
    let continuation: CheckedContinuation<DatabaseError?, Never>
    /// Ends the wait; `nil` until it is set.
    var timer: Timers.Timer?

    func resume(returning failure: DatabaseError?) {
      timer?.cancel()
      continuation.resume(returning: failure)
    }
  }

  private struct State {
    var isRunning = false
    var waiting: [Int: Waiter] = [:]
    var lastID = 0
  }

  private let tenants: TenantStore
  private let patience: Duration
  /// Gets each failure of a commit.
  private let report: @Sendable (DatabaseError) -> Void
  private let state = Lock(State())

  init(
    _ tenants: TenantStore, patience: Duration = .seconds(2),
    report: @escaping @Sendable (DatabaseError) -> Void
  ) {
    (self.tenants, self.patience, self.report) = (tenants, patience, report)
  }

  /// Why the store takes no writes; `nil` if it does.
  func failure() async -> DatabaseError? {
    await withCheckedContinuation { continuation in
      let (number, isFirst) = state.withLock { state in
        state.lastID += 1
        state.waiting[state.lastID] = Waiter(continuation: continuation)
        defer { state.isRunning = true }
        return (state.lastID, !state.isRunning)
      }
      limit(number)
      if isFirst { Task { await run() } }
    }
  }

  private func limit(_ number: Int) {
    let timer = Timers.shared.after(patience) { [weak self] in self?.giveUp(number) }
    let isWaiting = state.withLock { state in
      state.waiting[number]?.timer = timer
      return state.waiting[number] != nil
    }
    if !isWaiting { timer.cancel() }
  }

  private func giveUp(_ number: Int) {
    let waiting = state.withLock { $0.waiting.removeValue(forKey: number) }
    waiting?.resume(returning: DatabaseError(.unavailable, "the store has not answered for \(patience)"))
  }

  private func run() async {
    let failure = await write()
    if let failure { report(failure) }
    let waiting = state.withLock { state in
      state.isRunning = false
      defer { state.waiting = [:] }
      return state.waiting.values
    }
    for waiter in waiting { waiter.resume(returning: failure) }
  }

  /// Each time another value, so that something is written.
  private func write() async -> DatabaseError? {
    do throws(DatabaseError) {
      try await tenants.database.writeInGroup { session throws(DatabaseError) in
        try session.run(
          """
          INSERT INTO meta (key, value) VALUES ('storeProbe', '1')
          ON CONFLICT (key) DO UPDATE SET value = CAST((CAST(meta.value AS BIGINT) + 1) % 1000000 AS TEXT)
          """)
      }
      return nil
    } catch {
      return error
    }
  }
}
