import Model
import SQLite
import Support

/// What becomes of what the policy source says without being asked.
final class SourceEvents: SourceListener {
  private weak let live: LiveState?

  init(_ live: LiveState) {
    self.live = live
  }

  /// No account checks in more often because its source says that something has changed.
  private static let shortestWaitInMilliseconds: Int64 = 1000

  /// Makes the check-ins due, so that one of the processes on the state folder makes them. Each account waits for a random
  /// part of the time, because many hosts hear of the same change.
  func sourceDidChange(_ reference: AccountReference?, within spread: Duration) {
    inBackground { live in
      let milliseconds = spread.components.seconds * 1000
      do throws(MAMError) {
        try live.commit { transaction throws(SQLiteError) in
          let (all, directory) = (try transaction.accounts(), try transaction.directory())
          let accounts = reference.map { all.named($0, directory) } ?? Array(all)
          for var account in accounts where account.wipe == nil {
            let wish = transaction.now.advanced(by: Int64.random(in: 0...milliseconds))
            let earliest = account.checkedInAt?.advanced(by: Self.shortestWaitInMilliseconds)
            let due = max(wish, earliest ?? wish)
            guard let planned = account.dueAt, due < planned else { continue }
            account.dueAt = due
            try transaction.saveWithoutDocuments(account)
          }
        }
      } catch {
        live.logSource(.warning, "cannot note a change of the policy source: \(public: error.message)")
      }
    }
  }

  func sourceDidSay(_ line: String) {
    inBackground { live in live.logSource(.info, "policy source: \(public: line)") }
  }

  private func inBackground(_ body: @escaping @Sendable (LiveState) async -> Void) {
    guard let live, !live.configuration.isObserving else { return }
    Task(executorPreference: BlockingExecutor.shared) {
      // The source speaks for itself, not for the call that waits for it.
      await CallContext.$current.withValue(.byItself) { await body(live) }
    }
  }
}

extension LiveState {
  fileprivate func logSource(_ level: LogLevel, _ message: LogMessage) {
    guard let log = try? refresh().log else { return }
    log.write(level, .tenant, message)
  }
}
