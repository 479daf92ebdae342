import CGlibc
import Glibc
import Model
import SQLite
import Support
import Vault

/// The only way to wipe data of an account, whoever requests it. First, the wipe is marked in the store, which is the
/// commit point. Then the process that made the mark, or any later process, runs a `WipeRun`.
package struct Wipes: Sendable {
  let live: LiveState
  let hosts: CurrentHost
  let screens: Screens
  let nameKeepers: [any NameKeeper]
  let listener: any WipeListener

  /// Removes everything that this app holds of an account. Returns 104 if everything is gone and 215 if something is
  /// left; `nil` if the account is not registered. Also returns 215 while a lock of another process is in the way; then
  /// no event is sent, and the wipe goes on later.
  package func wipe(_ reference: AccountReference, _ reason: WipeReason) async throws(MAMError) -> EnrollmentStatus? {
    let marked = try mark(reference, reason)
    guard let first = marked.first else { return nil }
    var status = first.unenrolled
    for account in marked {
      let end = try await finishWipe(at: account.position, isWaiting: true) ?? account.unenrolled
      if !end.didSucceed { status = end }
    }
    return status
  }

  /// Like `finish`, for a call that has done its own part. A lock of another process does not undo that part: the wipe
  /// goes on later.
  func finishUnlessInUse(of reference: AccountReference?) async throws(MAMError) {
    do throws(MAMError) {
      try await finish(of: reference)
    } catch {
      guard error.code == .stateInUse else { throw error }
    }
  }

  /// Goes on with the marked wipes of one account, or of all. Waits for another process that runs a wipe, and throws
  /// `stateInUse` if that takes too long.
  func finish(of reference: AccountReference?) async throws(MAMError) {
    try live.refresh()
    let state = live.state
    for account in state.accounts(named: reference) where account.isWiping {
      _ = try await finishWipe(at: account.position, isWaiting: true)
    }
  }

  /// Goes on with the wipes that are marked and due. Returns whether none is left to another process.
  @discardableResult
  func finishDue() async throws(MAMError) -> Bool {
    try live.refresh()
    for account in live.state.accounts where account.isWiping && account.due(on: live.state.deviceRecord) <= live.now {
      _ = try await finishWipe(at: account.position, isWaiting: false)
    }
    return !live.state.accounts.contains { $0.isWiping && $0.due(on: live.state.deviceRecord) <= live.now }
  }

  /// Returns the accounts whose wipe is marked: none while wipes are on hold, except for a host.
  func mark(_ reference: AccountReference, _ reason: WipeReason) throws(MAMError) -> [StoredAccount] {
    try live.refresh()
    return try live.commit { transaction throws(SQLiteError) -> [StoredAccount] in
      let directory = try transaction.directory()
      let accounts = try transaction.accounts().named(reference, directory)
      for account in accounts { try transaction.beginWipe(of: account.position, reason) }
      let marked = try transaction.accounts()
      return accounts.filter { marked.account(at: $0.position)?.wipe != nil }
    }
  }

  /// Notes that no rule requires a wipe any longer that waits because wipes are on hold. Ends the block, and tells hosts.
  func forgetHeld(_ reference: AccountReference) throws(MAMError) {
    try live.commit { transaction throws(SQLiteError) in
      for var account in try transaction.accounts().named(reference, try transaction.directory()) {
        guard account.heldWipe?.cause == .policy else { continue }
        account.heldWipe = nil
        try transaction.saveWithoutDocuments(account)
        try transaction.endHeldBlock(of: account.account)
      }
    }
  }

  /// `nil` if the wipe was done before, or if another process runs it and this call does not wait.
  private func finishWipe(at position: Int, isWaiting: Bool) async throws(MAMError) -> EnrollmentStatus? {
    let path = live.configuration.stateFolder.wipeLock
    var wait = OutsideWait()
    while true {
      if let lock = try WipeLock.acquire(path, position: position) {
        defer { withExtendedLifetime(lock) {} }
        var run = try WipeRun(self, position: position)
        let status = try await run?.run()
        screens.settle()
        if let run, !run.failures.isEmpty {
          listener.wipeFailed(of: run.account, leaving: run.failures.count)
        }
        return status
      }
      guard isWaiting, try isWiping(position) else { return nil }
      guard await wait.pauseTask() else {
        // The system does not say who holds a lock of this kind.
        throw .stateInUse(path, by: "another process or call", "the wipe of the account")
      }
    }
  }

  private func isWiping(_ position: Int) throws(MAMError) -> Bool {
    try live.refresh()
    return live.state.account(at: position)?.isWiping == true
  }
}

/// A room that reports wipes to the policy source.
protocol WipeListener: Sendable {
  /// Called after an attempt that left `count` items of the account. Returns at once.
  func wipeFailed(of account: Account, leaving count: Int)
}

/// Held by the one process and task that wipes an account. The lock ends with this object or with the process.
final class WipeLock: Sendable {
  private let descriptor: Int32

  private init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// `nil` if another process or task holds the lock. `position` is that of the account in the store.
  static func acquire(_ path: String, position: Int) throws(MAMError) -> WipeLock? {
    let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .cannotUse(path, errno) }
    let lock = WipeLock(descriptor: descriptor)
    if cglibc_lock_byte(descriptor, Int64(position)) == 0 { return lock }
    guard errno == EAGAIN || errno == EACCES else { throw .cannotUse(path, errno) }
    return nil
  }
}

/// Reports the progress of a wipe to a caller that waits for it. Removing the files is most of it.
struct WipeProgress: Sendable {
  private static let filesBegin = 10
  private static let filesEnd = 90

  func begin() { Progress.report?(ProgressReport(.begin, percentage: 0, message: "destroying the account's keys")) }

  func willAskHost() {
    Progress.report?(ProgressReport(.report, percentage: Self.filesBegin / 2, message: "asking the host"))
  }

  /// Reports each percentage once.
  func removed(_ count: Int, of total: Int) {
    guard total > 0, let report = Progress.report else { return }
    let percentage = Self.percentage(count, total)
    guard count == 0 || percentage != Self.percentage(count - 1, total) else { return }
    report(ProgressReport(.report, percentage: percentage, message: "\(count) of \(total) files"))
  }

  private static func percentage(_ count: Int, _ total: Int) -> Int {
    filesBegin + (filesEnd - filesBegin) * count / total
  }

  func end() { Progress.report?(ProgressReport(.end, percentage: 100)) }
}
