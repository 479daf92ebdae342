import Model
import Policy
import SQLite
import Support

/// One change of the store, with the events that it causes.
struct StoreTransaction {
  let connection: Connection
  /// The time of the change and of its events.
  var now: Timestamp
  /// Collects the events that the change causes.
  var appended: AppendedEvents?
  /// The test policies, which may hide the stored policies.
  var testing = PolicyTesting()
  var deliveries = CompiledDeliveries()

  func accounts() throws(SQLiteError) -> [StoredAccount] { try connection.accounts() }

  /// Adds an account after the others, or changes the account at its position; replaces its documents. Returns the
  /// position.
  @discardableResult
  func save(_ account: StoredAccount) throws(SQLiteError) -> Int {
    let position = try saveWithoutDocuments(account)
    try save(account.documents, at: position)
    return position
  }

  /// Like `save`, for documents that are already stored. Returns the position.
  @discardableResult
  func saveWithoutDocuments(_ account: StoredAccount) throws(SQLiteError) -> Int {
    if account.position == 0 { return Int(try connection.insert(account, into: StoredAccount.table)) }
    try connection.save(account, to: StoredAccount.table)
    return account.position
  }

  func remove(_ account: StoredAccount) throws(SQLiteError) {
    try connection.run("DELETE FROM accounts WHERE position = ?", account.position)
  }

  func directory() throws(SQLiteError) -> AccountDirectory {
    AccountDirectory(try connection.dictionary(StoreSchema.directory))
  }

  /// Remembers which names belong to which object ids, except for wiped accounts. Forgets an id whose name now belongs
  /// to another id.
  func learn(_ news: AccountDirectory) throws(SQLiteError) -> AccountDirectory {
    let known = try directory()
    let forgotten = try forgottenAccounts(besides: news)
    for (accountId, identity) in news.identities
    where known.identities[accountId] != identity && !forgotten.contains(accountId) {
      if let former = known.accountId(of: AccountReference(identity)), news.identities[former] == nil {
        try connection.run("DELETE FROM directory WHERE account_id = ?", former)
      }
      try connection.save(Entry(accountId, identity), to: StoreSchema.directory)
    }
    return try directory()
  }

  /// Events are numbered without gaps in each store.
  func append(_ event: CoreEvent) throws(SQLiteError) {
    let stored = StoredEvent(
      seq: 0, time: now, type: event.type, body: event.body, causeText: RequestCause.current?.jsonText ?? "")
    try connection.insert(stored, into: StoredEvent.table)
    appended?.append(event)
  }

  func finish() throws(SQLiteError) {
    let sql = """
      INSERT INTO facts (name, value) VALUES ('time', ?)
      ON CONFLICT (name) DO UPDATE SET value = max(CAST(value AS INTEGER), CAST(excluded.value AS INTEGER))
      """
    try connection.run(sql, String(now.milliseconds))
    try dropOldEvents()
  }

  private func save(_ documents: [StoredAccount.DocumentKind: [String]], at position: Int) throws(SQLiteError) {
    try connection.run("DELETE FROM documents WHERE account = ?", position)
    for (kind, bodies) in documents {
      for (index, body) in bodies.enumerated() {
        let document = StoredDocument(account: position, kind: kind, position: index, body: body)
        try connection.insert(document, into: StoredDocument.table)
      }
    }
  }

  /// Keeps the newest event in any case, because the next number is derived from it.
  private func dropOldEvents() throws(SQLiteError) {
    let sql = """
      DELETE FROM events WHERE seq < (SELECT max(seq) FROM events)
        AND (seq <= (SELECT max(seq) FROM events) - ? OR time < ?)
      """
    try connection.run(sql, StoreSchema.keptEvents, now.milliseconds - StoreSchema.keptMilliseconds)
  }
}

/// What a change of the store needs to know about testing, besides the stored test policies.
struct PolicyTesting: Sendable {
  /// The test policy that the core was started with.
  var configured: TestSettings?
  /// The platform of the device.
  var platform = DevicePlatform.ios
}

/// The events of one change of the store, and the wipes that it begins, for listeners who are told after the commit.
final class AppendedEvents: Sendable {
  private let events = Lock<[CoreEvent]>([])
  private let wipes = Lock<[(account: Account, reason: WipeReason)]>([])

  var all: [CoreEvent] { events.withLock { $0 } }
  var begunWipes: [(account: Account, reason: WipeReason)] { wipes.withLock { $0 } }

  func begin(_ account: Account, _ reason: WipeReason) {
    wipes.withLock { $0.append((account, reason)) }
  }

  func append(_ event: CoreEvent) {
    events.withLock { $0.append(event) }
  }
}
