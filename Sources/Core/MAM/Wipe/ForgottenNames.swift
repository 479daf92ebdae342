import JSON
import Model
import SQLite

/// A wipe that ends an account's registration also removes the account's name from the state. The object id stays: in
/// events, in the PIN, and in `forgotten_accounts`, which lists the ids whose names are not learned again from the policy
/// source until the account is registered again.
///
/// Events keep the name until a process ends cleanly, so that hosts can still read whom the wipe concerns. Events about an
/// account without an object id keep the name until they expire.
extension StoreTransaction {
  func forgetNames(of account: StoredAccount) throws(SQLiteError) {
    let directory = try directory()
    guard try accounts().first(named: account.reference, directory) == nil else { return }
    let identity = account.account.identity?.lowercasedASCII ?? ""
    let accountId = account.account.accountId?.lowercasedASCII ?? directory.accountId(of: account.reference)
    try connection.run(
      "DELETE FROM directory WHERE account_id = ? OR lower(identity) = ?", accountId ?? "", identity)
    rows.didForgetNames()
    if let accountId {
      try connection.insert(accountId, ifAbsentFrom: StoreSchema.forgottenAccounts)
      try connection.insert(Entry("namesToForget", "events"), ifAbsentFrom: StoreSchema.facts)
    }
    try connection.run(
      "UPDATE screen_uses SET identity = '' WHERE lower(account_id) = ? OR lower(identity) = ?", accountId ?? "",
      identity)
    try forgetNameOfManagedUser()
    try hideUsersOfOperations()
  }

  /// Object ids whose names must not be learned. An account that is registered again loses its entry, even if the policy
  /// source could not be read at the time.
  func forgottenAccounts(besides news: AccountDirectory) throws(SQLiteError) -> Set<String> {
    let forgotten = try connection.forgottenAccounts()
    guard !forgotten.isEmpty else { return [] }
    for account in try accounts() {
      guard let accountId = news.accountId(of: account.reference), forgotten.contains(accountId) else { continue }
      try remember(account.reference, news)
    }
    return try connection.forgottenAccounts()
  }

  /// Allows the name of an account that is registered again to be learned.
  func remember(_ reference: AccountReference, _ directory: AccountDirectory) throws(SQLiteError) {
    guard let accountId = directory.accountId(of: reference) else { return }
    try connection.run("DELETE FROM forgotten_accounts WHERE account_id = ?", accountId)
  }
}

extension Connection {
  /// Object ids in lower case.
  func forgottenAccounts() throws(SQLiteError) -> Set<String> {
    Set(try all(StoreSchema.forgottenAccounts))
  }

  /// Whether events may still contain the names of forgotten accounts.
  func hasNamesToForget() throws(SQLiteError) -> Bool { try fact("namesToForget") != nil }

  /// Removes the names of forgotten accounts from all events.
  func forgetNamesInEvents() throws(SQLiteError) {
    let forgotten = try forgottenAccounts()
    for event in try all(StoredEvent.table) {
      guard let body = try? JSONValue(parsing: event.body), case let rest = body.withoutNames(of: forgotten),
        rest != body
      else { continue }
      try run("UPDATE events SET body = ? WHERE seq = ?", rest.jsonText, event.seq)
    }
    try run("DELETE FROM facts WHERE name = 'namesToForget'")
  }
}

/// A room that keeps names of accounts in the database of the device, for all apps of the state folder.
protocol NameKeeper: Sendable {
  /// Called only for an account with a name, and only if the database exists.
  func forgetName(of account: Account, in services: CoreServices) throws(MAMError)
}

extension JSONValue {
  /// Replaces the name with null in every object that has the id of one of these accounts.
  fileprivate func withoutNames(of accounts: Set<String>) -> JSONValue {
    if let values = arrayValue { return .array(values.map { $0.withoutNames(of: accounts) }) }
    guard let object = objectValue else { return self }
    let isForgotten = object["accountId"]?.stringValue.map { accounts.contains($0.lowercasedASCII) } ?? false
    var rest = JSONObject()
    for member in object.members {
      let isName = isForgotten && ["identity", "formerIdentity"].contains(member.name)
      rest[member.name] = isName ? JSONValue.null : member.value.withoutNames(of: accounts)
    }
    return .object(rest)
  }
}
