import Cryptography
import Model
import Policy
import SQLite
import Support

/// The PIN of a user in the apps of one publisher, as device.db holds it: all but the PIN itself.
struct StoredPIN: PINRecord, Equatable {
  let id: Int64
  private(set) var owner: PINOwner
  /// Also of the PINs before, so that stretching a new one once tells whether it was used.
  let salt: [UInt8]
  let stretching: Scrypt.Parameters
  /// False before the first PIN, and after one was forgotten.
  var isSet = false
  /// Those that were begun since the last right one, be it that nobody learnt how they ended.
  var tries = 0
  var triedAt = Timestamp.never
  var setAt = Timestamp.never
  /// When the right PIN was entered last.
  var typedAt = Timestamp.never
  /// When the right PIN, or what replaced it, was given last; since when the account is in use is `Activity`.
  var activeAt = Timestamp.never
  /// The `PINForm.key` that it was found not to follow; empty for none.
  var unfitForm = ""
  /// The apps that have wiped the user's data after the last of too many tries.
  var wipedApps: [String] = []
}

/// Whose PIN it is.
struct PINOwner: Equatable, Sendable {
  /// The first two labels of the app's id.
  let publisher: String
  let account: Account
}

extension Timestamp {
  static let never = Timestamp(milliseconds: 0)
}

extension Connection {
  func pins(of publisher: String) throws(SQLiteError) -> [StoredPIN] {
    try query(StoredPIN.select + " WHERE publisher = ? ORDER BY id", publisher) { row throws(SQLiteError) in
      try StoredPIN(row)
    }
  }

  /// In the apps of all publishers. The name is in lower case.
  func pins(ofUser accountId: String, _ identity: String) throws(SQLiteError) -> [StoredPIN] {
    let condition = " WHERE lower(identity) = ? OR account_id <> '' AND lower(account_id) = lower(?) ORDER BY id"
    return try query(StoredPIN.select + condition, identity, accountId) { row throws(SQLiteError) in
      try StoredPIN(row)
    }
  }

  func add(_ owner: PINOwner, salt: [UInt8], _ stretching: Scrypt.Parameters) throws(SQLiteError) -> StoredPIN {
    let sql = """
      INSERT INTO pins (publisher, account_id, identity, salt, cost, block_size, parallelism) VALUES (?, ?, ?, ?, ?, ?, ?)
      """
    try run(
      sql, owner.publisher, owner.account.accountId ?? "", owner.account.identity ?? "", salt,
      Int64(clamping: stretching.cost), Int64(clamping: stretching.blockSize), Int64(clamping: stretching.parallelism))
    let id: Int64 = try first("SELECT last_insert_rowid()") { row throws(SQLiteError) in try row.value(0) } ?? 0
    return StoredPIN(id: id, owner: owner, salt: salt, stretching: stretching)
  }

  func save(_ pin: StoredPIN) throws(SQLiteError) {
    let sql = """
      UPDATE pins SET is_set = ?, tries = ?, tried_at = ?, set_at = ?, typed_at = ?, active_at = ?, unfit_form = ?,
        wiped_apps = ?
      WHERE id = ?
      """
    try run(
      sql, pin.isSet, pin.tries, pin.triedAt.milliseconds, pin.setAt.milliseconds, pin.typedAt.milliseconds,
      pin.activeAt.milliseconds, pin.unfitForm, pin.wipedApps.joined(separator: " "), pin.id)
  }

  /// Sealed, the newest first: that of the PIN in use, or last in use.
  func pinHashes(of pin: StoredPIN) throws(SQLiteError) -> [[UInt8]] {
    try query("SELECT sealed FROM pin_hashes WHERE pin = ? ORDER BY position DESC", pin.id) {
      row throws(SQLiteError) in try row.value(0)
    }
  }

  /// Gives a PIN to its new owner, with hashes that were sealed for that, the newest first.
  func move(_ pin: StoredPIN, with hashes: [[UInt8]]) throws(SQLiteError) {
    let account = pin.owner.account
    let sql = "UPDATE pins SET account_id = ?, identity = ? WHERE id = ?"
    try run(sql, account.accountId ?? "", account.identity ?? "", pin.id)
    try run("DELETE FROM pin_hashes WHERE pin = ?", pin.id)
    for hash in hashes.reversed() { try run("INSERT INTO pin_hashes (pin, sealed) VALUES (?, ?)", pin.id, hash) }
  }

  func remove(_ pin: StoredPIN) throws(SQLiteError) {
    try run("DELETE FROM pins WHERE id = ?", pin.id)
  }

  /// Keeps that many, this one included.
  func add(_ sealed: [UInt8], to pin: StoredPIN, keeping count: Int) throws(SQLiteError) {
    try run("INSERT INTO pin_hashes (pin, sealed) VALUES (?, ?)", pin.id, sealed)
    let sql = """
      DELETE FROM pin_hashes WHERE pin = ?1 AND position NOT IN
        (SELECT position FROM pin_hashes WHERE pin = ?1 ORDER BY position DESC LIMIT ?2)
      """
    try run(sql, pin.id, count)
  }
}

extension StoredPIN {
  func owned(by account: Account) -> StoredPIN {
    var pin = self
    pin.owner = PINOwner(publisher: owner.publisher, account: account)
    return pin
  }

  fileprivate static let select = """
    SELECT id, account_id, identity, salt, cost, block_size, parallelism, is_set, tries, tried_at, set_at, typed_at,
      active_at, unfit_form, wiped_apps, publisher
    FROM pins
    """

  fileprivate init(_ row: Row) throws(SQLiteError) {
    func time(_ column: Int) throws(SQLiteError) -> Timestamp { Timestamp(milliseconds: try row.value(column)) }
    func number(_ column: Int) throws(SQLiteError) -> UInt64 { UInt64(clamping: try row.value(column, as: Int64.self)) }
    let account = Account(accountId: try row.text(1), identity: try row.text(2))
    let apps: String = try row.value(14)
    self.init(
      id: try row.value(0), owner: PINOwner(publisher: try row.value(15), account: account), salt: try row.value(3),
      stretching: Scrypt.Parameters(cost: try number(4), blockSize: try number(5), parallelism: try number(6)),
      isSet: try row.value(7), tries: try row.value(8), triedAt: try time(9), setAt: try time(10),
      typedAt: try time(11), activeAt: try time(12), unfitForm: try row.value(13),
      wipedApps: apps.split(separator: " ").map(String.init))
  }
}
