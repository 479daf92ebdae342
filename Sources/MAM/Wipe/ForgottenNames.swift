import JSON
import Model
import SQLite
import Support

/// What goes besides an account's data when it is wiped and not registered any more: its name, wherever the state has
/// it. Its object id stays, which names nobody: it is in events, in the PIN, and among `forgotten_accounts`, whose names
/// are not learnt again from the policy source until they are enrolled anew.
///
/// Events about the account keep its name until a process ends cleanly, so that hosts that listen, or ask next, are told
/// of whom they are. After that they have the object id alone. An account without object id, which no policy source ever
/// knew, has its name in events until these expire.
extension StoreTransaction {
  func forgetNames(of account: StoredAccount) throws(SQLiteError) {
    let directory = try directory()
    guard try !accounts().contains(where: { $0.isNamed(account.reference, directory) }) else { return }
    let identity = account.account.identity?.lowercasedASCII ?? ""
    let accountId = account.account.accountId?.lowercasedASCII ?? directory.accountId(of: account.reference)
    try connection.run(
      "DELETE FROM directory WHERE account_id = ? OR lower(identity) = ?", accountId ?? "", identity)
    if let accountId {
      try connection.run("INSERT OR IGNORE INTO forgotten_accounts (account_id) VALUES (?)", accountId)
    }
    try hideUsersOfOperations()
  }

  /// Object ids whose names are not to be learnt. Accounts that were registered again, perhaps while the policy source
  /// could not be read, have names again.
  func forgottenAccounts(besides news: AccountDirectory) throws(SQLiteError) -> Set<String> {
    guard try !connection.forgottenAccounts().isEmpty else { return [] }
    for account in try accounts() { try remember(account.reference, news) }
    return try connection.forgottenAccounts()
  }

  /// Lets the name of an account that is registered again be learnt.
  func remember(_ reference: AccountReference, _ directory: AccountDirectory) throws(SQLiteError) {
    guard let accountId = directory.accountId(of: reference) else { return }
    try connection.run("DELETE FROM forgotten_accounts WHERE account_id = ?", accountId)
  }
}

extension Connection {
  /// Object ids in lower case.
  func forgottenAccounts() throws(SQLiteError) -> Set<String> {
    let ids = try query("SELECT account_id FROM forgotten_accounts") { row in try row.value(0, as: String.self) }
    return Set(ids)
  }

  /// Takes the names of forgotten accounts out of all events. Whether there was one.
  func forgetNamesInEvents() throws(SQLiteError) -> Bool {
    let forgotten = try forgottenAccounts()
    guard !forgotten.isEmpty else { return false }
    let events = try query("SELECT seq, body FROM events") { row in
      (seq: try row.value(0, as: Int64.self), body: try row.value(1, as: String.self))
    }
    var hasChanged = false
    for event in events {
      guard let body = try? JSONValue(parsing: event.body), case let rest = body.withoutNames(of: forgotten),
        rest != body
      else { continue }
      try run("UPDATE events SET body = ? WHERE seq = ?", rest.jsonText, event.seq)
      hasChanged = true
    }
    return hasChanged
  }
}

extension CoreServices {
  /// In all apps of the state folder. `lock` is the folder under which PINs change.
  func forgetNameInDevice(of account: Account, lock: String) throws(MAMError) {
    let identity = account.identity?.lowercasedASCII ?? ""
    guard !identity.isEmpty, try device.read({ _ in true }) != nil else { return }
    try Folder.withLock(lock) { () throws(MAMError) in try PINNames(self, account).forget() }
    _ = try device.write { connection throws(SQLiteError) in
      try connection.run("DELETE FROM activity WHERE account = ?", identity)
    }
  }
}

extension JSONValue {
  /// Objects with one of these accounts lose its name; null says that it is not known.
  fileprivate func withoutNames(of accounts: Set<String>) -> JSONValue {
    if let values = arrayValue { return .array(values.map { $0.withoutNames(of: accounts) }) }
    guard let object = objectValue else { return self }
    let isForgotten = object["accountId"]?.stringValue.map { accounts.contains($0.lowercasedASCII) } ?? false
    var rest = JSONObject()
    for member in object.members {
      let isName = isForgotten && member.name == "identity"
      rest[member.name] = isName ? JSONValue.null : member.value.withoutNames(of: accounts)
    }
    return .object(rest)
  }
}
