import Model
import SQLite
import Support

/// When users last proved who they are. The token that proved it is not kept.
struct SignIns: Sendable {
  private let times: [String: Timestamp]

  static let table = Table("sign_ins", since: 6, blank: Entry("", Timestamp.never)) { signIn, column in
    column("name", &signIn.key, .key)
    column("time", &signIn.value)
  }

  /// Times by names in lower case.
  init(_ times: [String: Timestamp] = [:]) {
    self.times = times
  }

  /// The latest sign-in under any name of the account.
  func time(of account: Account) -> Timestamp? { account.signInNames.compactMap { times[$0] }.max() }
}

extension StoreTransaction {
  func noteSignIn(of account: Account) throws(SQLiteError) {
    for name in account.signInNames { try connection.save(Entry(name, now), to: SignIns.table) }
  }

  /// Also removes the challenges of the account, with their outcomes, and leaves the account out of the others.
  func forgetSignIn(of account: Account) throws(SQLiteError) {
    for name in account.signInNames {
      try connection.run("DELETE FROM sign_ins WHERE name = ?", name)
      try connection.run("DELETE FROM challenges WHERE ? IN (lower(account_id), lower(identity))", name)
      try connection.run("UPDATE challenges SET companions = '' WHERE instr(lower(companions), ?) > 0", name)
    }
  }
}

extension Account {
  fileprivate var signInNames: [String] { [accountId, identity].compactMap { $0?.lowercasedASCII } }
}
