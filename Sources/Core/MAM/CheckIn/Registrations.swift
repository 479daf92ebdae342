import Cryptography
import Model
import SQLite
import SourceProtocol
import Support
import Vault

/// The registrations of accounts with a policy source outside of this process.
struct Registrations: Sendable {
  private static let secretLength = 32

  let live: LiveState

  /// The registration of an account, which is made if there is none. May block.
  func registration(of account: Account, among known: RegisteredAccounts) throws(MAMError) -> SourceRegistration {
    let services = try live.refresh()
    let stored = known.registration(of: account)
    if let stored, let opened = try opened(stored.id, stored.sealed, services) { return opened }
    return try make(account, services)
  }

  func all() throws(MAMError) -> RegisteredAccounts {
    try live.refresh().store.read { connection throws(SQLiteError) in try connection.registrations() }
  }

  func opened(
    _ id: String, _ sealed: [UInt8], _ services: CoreServices
  ) throws(MAMError) -> SourceRegistration? {
    try services.keys.open(sealed, associatedData: Self.sealedWith(id)).map { SourceRegistration(id: id, secret: $0) }
  }

  private func make(_ account: Account, _ services: CoreServices) throws(MAMError) -> SourceRegistration {
    let id = String.randomUUID
    let secret = try MAMError.keys { () throws(CryptographyError) in try SecretBytes.random(count: Self.secretLength) }
    let sealed = try services.keys.seal(secret, associatedData: Self.sealedWith(id))
    let new = StoredRegistration(id: id, account: account, sealed: sealed)
    try services.store.note { connection throws(SQLiteError) in
      if let damaged = try connection.registration(of: account) {
        try connection.run("DELETE FROM registrations WHERE id = ?", damaged.id)
      }
      try connection.insert(new, into: StoredRegistration.table)
    }
    return SourceRegistration(id: id, secret: secret)
  }

  private static func sealedWith(_ id: String) -> [UInt8] { Array("mam/registration/v1".utf8) + [0] + Array(id.utf8) }
}

extension SourceDevice {
  /// A tag for a copy of a state. A source that took the copy for the original device would end the original's
  /// registration.
  package static var randomTag: String { .randomUUID }
}

/// Tells the policy source what became of registrations: which operations are carried out, and which accounts have left.
///
/// Everything is told until the source accepts it, even when no account is left.
struct Reports: Sendable {
  let live: LiveState
  let source: any CheckInSource
  let registrations: Registrations

  /// Tells what is due. What the source does not accept is told again later.
  func sendDue() async throws(MAMError) {
    let services = try live.refresh()
    guard source.capabilities.usesRegistrations, live.state.device.networkAvailable, live.state.nextReport != nil
    else { return }
    let now = live.now
    let due = try services.store.read { connection throws(SQLiteError) in
      try connection.all(
        StoredReport.table, "WHERE outcome != ? AND due_at <= ? ORDER BY time, operation DESC",
        StoredReport.Outcome.running.rawValue, now.milliseconds)
    }
    for report in due { try await send(report, services) }
  }

  private func send(_ report: StoredReport, _ services: CoreServices) async throws(MAMError) {
    guard let registration = try registrations.opened(report.registration, report.sealed, services) else {
      return try forget(report)
    }
    let operation = report.operation.isEmpty ? nil : report.operation
    let isAccepted = await source.deliver(
      SourceReport(registration: registration, operation: operation, time: report.time))
    if isAccepted { try forget(report) } else { try postpone(report) }
  }

  /// Tells the source that every account has left, and first what it has not been told before. Tries each once.
  func leaveAll() async throws(MAMError) {
    let services = try live.refresh()
    let (registered, reports) = try services.store.read { connection throws(SQLiteError) in
      (
        try connection.all(StoredRegistration.table, "ORDER BY id"),
        try connection.all(StoredReport.table, "WHERE outcome != ?", StoredReport.Outcome.running.rawValue)
      )
    }
    for report in reports { try await send(report, services) }
    for stored in registered {
      guard let registration = try registrations.opened(stored.id, stored.sealed, services) else { continue }
      _ = await source.deliver(SourceReport(registration: registration, operation: nil, time: live.now))
    }
  }

  private func forget(_ report: StoredReport) throws(MAMError) {
    try live.commit { transaction throws(SQLiteError) in
      _ = try transaction.connection.run(
        "DELETE FROM source_reports WHERE registration = ? AND operation = ?", report.registration, report.operation)
    }
  }

  private func postpone(_ report: StoredReport) throws(MAMError) {
    var later = report
    later.failures += 1
    later.dueAt = live.now.advanced(by: CheckInInterval.shortBackOff.milliseconds(failures: later.failures))
    try live.commit { [later] transaction throws(SQLiteError) in
      try transaction.connection.save(later, to: StoredReport.table)
    }
  }
}

extension Reports: WipeListener {
  /// Reports to the source, in the background, that a wipe of the account is not finished. A report that gets lost is not
  /// repeated; the next attempt sends another.
  func wipeFailed(of account: Account, leaving count: Int) {
    guard source.capabilities.usesRegistrations, live.state.device.networkAvailable else { return }
    let left = count == 1 ? "1 item" : "\(count) items"
    let reason = "\(left) of the account could not be removed. mambridge tries again."
    Task(executorPreference: BlockingExecutor.shared) { [self] in
      // The call that began the wipe does not wait for this, so its end does not end this.
      await CallContext.$current.withValue(.lasting) { try? await send(reason, of: account) }
    }
  }

  private func send(_ failure: String, of account: Account) async throws(MAMError) {
    let services = try live.refresh()
    let running = try services.store.read { connection throws(SQLiteError) in
      guard let registration = try connection.registration(of: account) else { return [StoredReport]() }
      return try connection.all(
        StoredReport.table, "WHERE registration = ? AND outcome = ?", registration.id,
        StoredReport.Outcome.running.rawValue)
    }
    for report in running {
      guard let registration = try registrations.opened(report.registration, report.sealed, services) else {
        continue
      }
      _ = await source.deliver(
        SourceReport(registration: registration, operation: report.operation, time: live.now, failure: failure))
    }
  }
}
