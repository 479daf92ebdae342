import JSON
import Model
import SQLite
import Support
import Tenancy

/// The user that the device is managed for, as the store remembers it from the last time that the policy source said it.
package struct ManagedUser: Sendable {
  let live: LiveState
  let source: any CheckInSource
  let checks: ManagedUserChecks

  /// Reads the policy source, and remembers what it says. `nil` if the device is not managed, or if the source cannot be
  /// read. A source outside of this process says it at check-ins only. May block.
  package func ask() -> Account? {
    guard let tenant = source.readTenant() else { return stored }
    guard let snapshot = try? tenant.get() else { return nil }
    remember(snapshot)
    return snapshot.mdmEnrolledAccount
  }

  private var stored: Account? {
    _ = try? live.refresh()
    return live.state.mdmEnrolledAccount
  }

  /// Asks the policy source in the background. A check that is wanted during a check follows it, because the source may
  /// have changed since it was read.
  package func check() {
    guard !live.configuration.isObserving, checks.begin() else { return }
    Task(executorPreference: BlockingExecutor.shared) { [self] in
      repeat { _ = ask() } while !checks.end()
    }
  }

  /// A state folder that cannot be written keeps what it has: the next check-in or check remembers the answer.
  private func remember(_ snapshot: TenantSnapshot) {
    let account = snapshot.mdmEnrolledAccount
    guard !live.configuration.isObserving, (try? live.refresh()) != nil, live.state.mdmEnrolledAccount != account else {
      return
    }
    do throws(MAMError) {
      try live.commit { transaction throws(SQLiteError) in try transaction.setMDMEnrolledAccount(account) }
    } catch {
      guard let log = try? live.refresh().log else { return }
      log.write(.warning, .enrollment, "cannot store the user of the managed device: \(public: error.message)")
    }
  }
}

extension Connection {
  /// The user that the device is managed for, according to the last answer of the policy source; `nil` for nobody.
  var mdmEnrolledAccount: Account? {
    get throws(SQLiteError) {
      guard let text = try fact(managedUserName), let document = try? JSONDocument(parsing: text) else { return nil }
      return try? Account.decode(document.root)
    }
  }
}

extension StoreTransaction {
  /// Remembers the user that the device is managed for, and sends an event if it is another user than before.
  func setMDMEnrolledAccount(_ account: Account?) throws(SQLiteError) {
    let account = try account.map { account throws(SQLiteError) in try withoutForgottenName(account) }
    guard try connection.mdmEnrolledAccount != account else { return }
    try saveMDMEnrolledAccount(account)
    try append(.mdmEnrolledAccountDidChange(account ?? Account(accountId: nil, identity: nil)))
  }
}

extension StoreTransaction {
  /// If the user was wiped, only the object id stays.
  func forgetNameOfManagedUser() throws(SQLiteError) {
    guard let account = try connection.mdmEnrolledAccount else { return }
    try saveMDMEnrolledAccount(try withoutForgottenName(account))
  }

  private func withoutForgottenName(_ account: Account) throws(SQLiteError) -> Account {
    let forgotten = try connection.forgottenAccounts()
    let isForgotten = account.accountId.map { forgotten.contains($0.lowercasedASCII) } ?? false
    return isForgotten ? Account(accountId: account.accountId, identity: nil) : account
  }

  private func saveMDMEnrolledAccount(_ account: Account?) throws(SQLiteError) {
    if let account {
      try connection.save(Entry(managedUserName, account.jsonText), to: StoreSchema.facts)
    } else {
      try connection.run("DELETE FROM facts WHERE name = ?", managedUserName)
    }
  }
}

private let managedUserName = "mdmEnrolledAccount"
