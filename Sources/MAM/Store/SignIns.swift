import Model
import SQLite
import Support

/// When users last proved who they are. The token that proved it is not kept.
struct SignIns: Sendable {
  private let times: [String: Timestamp]

  /// By names in lower case.
  init(_ times: [String: Timestamp] = [:]) {
    self.times = times
  }

  /// By whichever name of the account was used last.
  func time(of account: Account) -> Timestamp? { account.signInNames.compactMap { times[$0] }.max() }
}

extension Connection {
  func signIns() throws(SQLiteError) -> SignIns {
    var times: [String: Timestamp] = [:]
    try forEachRow("SELECT name, time FROM sign_ins") { row throws(SQLiteError) in
      times[try row.value(0)] = Timestamp(milliseconds: try row.value(1))
    }
    return SignIns(times)
  }
}

extension StoreTransaction {
  func noteSignIn(of account: Account) throws(SQLiteError) {
    let sql = "INSERT INTO sign_ins (name, time) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET time = excluded.time"
    for name in account.signInNames { try connection.run(sql, name, now.milliseconds) }
  }

  /// Questions to the user go too, with their outcomes.
  func forgetSignIn(of account: Account) throws(SQLiteError) {
    for name in account.signInNames {
      try connection.run("DELETE FROM sign_ins WHERE name = ?", name)
      try connection.run("DELETE FROM challenges WHERE ? IN (lower(account_id), lower(identity))", name)
    }
  }
}

extension Account {
  fileprivate var signInNames: [String] { [accountId, identity].compactMap { $0?.lowercasedASCII } }
}
