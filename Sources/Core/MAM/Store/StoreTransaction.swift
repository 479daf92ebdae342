import Model
import Policy
import SQLite
import Support

/// One change of the store, with the events that it causes.
struct StoreTransaction {
  let connection: Connection
  let rows: KnownRows
  private(set) var time: StateTime
  /// By how many milliseconds the machine's clock was set since the last change; 0 if it was not.
  private(set) var jump: Int64 = 0
  /// Collects the events that the change causes.
  var appended: AppendedEvents?
  /// The test policies, which may hide the stored policies.
  var testing = PolicyTesting()
  var deliveries = CompiledDeliveries()

  init(
    _ connection: Connection, _ rows: KnownRows, time: StateTime, jump: Int64 = 0
  ) throws(SQLiteError) {
    (self.connection, self.rows, self.time, self.jump) = (connection, rows, time, jump)
    try rows.begin(connection)
  }

  /// The time of the change and of its events.
  var now: Timestamp { time.now }

  /// Lets a manual clock move on to a time within the change.
  mutating func move(to time: Timestamp) {
    if time > now { self.time.advance(to: time, nil) }
  }

  /// Lets the manual clock jump forward at the end of the change.
  func jump(by milliseconds: Int64) throws(SQLiteError) {
    var time = time
    time.jump(by: milliseconds)
    try connection.save(Entry(1, time), to: StateTime.table)
  }

  func accounts() throws(SQLiteError) -> KnownAccounts { try rows.accounts(connection) }

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
    var position = account.position
    if position == 0 {
      position = Int(try connection.insert(account, into: StoredAccount.table))
    } else {
      try connection.save(account, to: StoredAccount.table)
    }
    rows.didChange(position)
    return position
  }

  func remove(_ account: StoredAccount) throws(SQLiteError) {
    try connection.run("DELETE FROM accounts WHERE position = ?", account.position)
    rows.didChange(account.position)
  }

  func directory() throws(SQLiteError) -> AccountDirectory { try rows.directory(connection) }

  /// Remembers which names belong to which object ids, except for wiped accounts. Forgets an id whose name now belongs
  /// to another id.
  func learn(_ news: AccountDirectory) throws(SQLiteError) -> AccountDirectory {
    let known = try directory()
    let forgotten = try forgottenAccounts(besides: news)
    for (accountId, identity) in news.identities
    where known.identities[accountId] != identity && !forgotten.contains(accountId) {
      if let former = known.accountId(of: AccountReference(identity)), news.identities[former] == nil {
        try connection.run("DELETE FROM directory WHERE account_id = ?", former)
        rows.didForgetNames()
      }
      try connection.save(Entry(accountId, identity), to: StoreSchema.directory)
      rows.didLearn(accountId, identity)
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

  /// Stores the time, unless a part of the change has stored a later one.
  func finish() throws(SQLiteError) {
    if try connection.stateTime.map({ $0.now <= now }) ?? true {
      try connection.save(Entry(1, time), to: StateTime.table)
    }
    try dropOldEvents()
  }

  private func save(_ documents: [StoredAccount.DocumentKind: [String]], at position: Int) throws(SQLiteError) {
    try connection.run("DELETE FROM documents WHERE account = ?", position)
    rows.didChange(position)
    for (kind, bodies) in documents {
      for (index, body) in bodies.enumerated() {
        let document = StoredDocument(account: position, kind: kind, position: index, body: body)
        try connection.insert(document, into: StoredDocument.table)
      }
    }
  }

  /// Keeps the newest event in any case, because the next number is derived from it. After a jump of the clock, the age
  /// of an event says nothing until as much time has passed as events are kept. The times of events never decrease, so
  /// the events to remove are the first ones, and no other event is read.
  private func dropOldEvents() throws(SQLiteError) {
    let sql = """
      WITH newest AS (SELECT max(seq) AS seq FROM events)
      DELETE FROM events WHERE seq < min((SELECT seq FROM newest), max((SELECT seq FROM newest) - ? + 1,
        coalesce((SELECT seq FROM events WHERE time >= ? ORDER BY seq LIMIT 1), (SELECT seq FROM newest))))
      """
    let isAgeKnown = time.isUndisturbed(for: StoreSchema.keptMilliseconds)
    let earliest = isAgeKnown ? now.advanced(by: -StoreSchema.keptMilliseconds) : .earliestText
    try connection.run(sql, StoreSchema.keptEvents, earliest.milliseconds)
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
