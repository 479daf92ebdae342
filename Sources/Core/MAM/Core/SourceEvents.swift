import Model
import SQLite
import Support

/// What a core does with what its policy source says without being asked.
final class SourceEvents: SourceListener {
  private weak let core: Core?

  init(_ core: Core) {
    self.core = core
  }

  /// No account checks in more often because its source says that something has changed.
  private static let shortestWaitInMilliseconds: Int64 = 1000

  /// Makes the check-ins due, so that one of the processes on the state folder makes them. Each account waits for a random
  /// part of the time, because many hosts hear of the same change.
  func sourceDidChange(_ reference: AccountReference?, within spread: Duration) {
    inBackground { core in
      let milliseconds = spread.components.seconds * 1000
      do throws(MAMError) {
        try core.commit { transaction throws(SQLiteError) in
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
        core.logSource(.warning, "cannot note a change of the policy source: \(public: error.message)")
      }
    }
  }

  func sourceDidSay(_ line: String) {
    inBackground { core in core.logSource(.info, "policy source: \(public: line)") }
  }

  private func inBackground(_ body: @escaping @Sendable (Core) async -> Void) {
    guard let core, !core.configuration.isObserving else { return }
    Task(executorPreference: BlockingExecutor.shared) {
      // The source speaks for itself, not for the call that waits for it.
      await CallContext.$current.withValue(.byItself) { await body(core) }
    }
  }
}

extension Core {
  fileprivate func logSource(_ level: LogLevel, _ message: LogMessage) {
    guard let log = try? refresh().log else { return }
    log.write(level, .tenant, message)
  }
}
