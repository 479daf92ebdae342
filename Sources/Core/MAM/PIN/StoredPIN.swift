import Cryptography
import Model
import Policy
import SQLite
import Support

/// A record in `device.db` about the PIN of a user in the apps of one publisher. It does not contain the PIN.
struct StoredPIN: PINRecord, Equatable {
  /// 0 before the first save.
  var id: Int64 = 0
  private(set) var owner: PINOwner
  /// The salt of this PIN and of all earlier PINs, so that stretching a new PIN once shows whether it was used before.
  private(set) var salt: [UInt8]
  private(set) var stretching: Scrypt.Parameters
  /// False before the first PIN is set, and after a reset.
  var isSet = false
  /// The number of tries since the last correct PIN, including tries that were cut off before the PIN was compared.
  var tries = 0
  var triedAt = Timestamp.never
  var setAt = Timestamp.never
  /// When the correct PIN was last entered.
  var typedAt = Timestamp.never
  /// When the correct PIN, or biometrics in its place, was last given. `Activity` says how long the account has been in
  /// use.
  var activeAt = Timestamp.never
  /// The `PINForm.key` of the rules that the PIN turned out to break; empty if there are none.
  var unfitForm = ""
  /// The apps that have begun to wipe the user's data because of too many wrong PINs.
  var wipedApps: [String] = []
}

/// The owner of a PIN.
struct PINOwner: Equatable, Sendable {
  /// The first two labels of the app's id.
  fileprivate(set) var publisher: String
  fileprivate(set) var account: Account
}

extension Timestamp {
  static let never = Timestamp(milliseconds: 0)
}

extension StoredPIN {
  static let table = Table(
    "pins", since: 3,
    blank: StoredPIN(
      owner: PINOwner(publisher: "", account: Account(accountId: nil, identity: nil)), salt: [],
      stretching: Scrypt.Parameters(cost: 0, blockSize: 0, parallelism: 0))
  ) { pin, column in
    var wipedApps = pin.wipedApps.joined(separator: " ")
    column("id", &pin.id, .numbered)
    column("publisher", &pin.owner.publisher)
    pin.owner.account.visit(&column)
    column("salt", &pin.salt)
    pin.stretching.visit(&column)
    column("is_set", &pin.isSet, .hasDefault)
    column("tries", &pin.tries, .hasDefault)
    column("tried_at", &pin.triedAt, .hasDefault)
    column("set_at", &pin.setAt, .hasDefault)
    column("typed_at", &pin.typedAt, .hasDefault)
    column("active_at", &pin.activeAt, .hasDefault)
    column("unfit_form", &pin.unfitForm, .hasDefault)
    column("wiped_apps", &wipedApps, .hasDefault)
    pin.wipedApps = wipedApps.split(separator: " ").map(String.init)
  }

  func owned(by account: Account) -> StoredPIN {
    var pin = self
    pin.owner = PINOwner(publisher: owner.publisher, account: account)
    return pin
  }
}

/// The sealed hash of a PIN. The newest hash of a user belongs to the current PIN, or to the last one if it was reset.
struct StoredPINHash: Sendable {
  var position = 0
  /// The id of the `StoredPIN`.
  var pin: Int64
  var sealed: [UInt8]

  static let table = Table("pin_hashes", since: 3, blank: StoredPINHash(pin: 0, sealed: [])) { hash, column in
    column("position", &hash.position, .numbered)
    column("pin", &hash.pin, references: "pins(id) ON DELETE CASCADE")
    column("sealed", &hash.sealed)
  }
}

extension Scrypt.Parameters {
  fileprivate mutating func visit(_ column: inout Columns) {
    var (cost, blockSize, parallelism) = (
      Int64(clamping: cost), Int64(clamping: blockSize), Int64(clamping: parallelism)
    )
    column("cost", &cost)
    column("block_size", &blockSize)
    column("parallelism", &parallelism)
    self = Scrypt.Parameters(
      cost: UInt64(clamping: cost), blockSize: UInt64(clamping: blockSize), parallelism: UInt64(clamping: parallelism))
  }
}

extension Connection {
  func pins(of publisher: String) throws(SQLiteError) -> [StoredPIN] {
    try all(StoredPIN.table, "WHERE publisher = ? ORDER BY id", publisher)
  }

  /// The PINs of a user in the apps of all publishers. `identity` is in lower case.
  func pins(ofUser accountId: String, _ identity: String) throws(SQLiteError) -> [StoredPIN] {
    let condition = "WHERE lower(identity) = ? OR account_id <> '' AND lower(account_id) = lower(?) ORDER BY id"
    return try all(StoredPIN.table, condition, identity, accountId)
  }

  func add(_ owner: PINOwner, salt: [UInt8], _ stretching: Scrypt.Parameters) throws(SQLiteError) -> StoredPIN {
    var pin = StoredPIN(owner: owner, salt: salt, stretching: stretching)
    pin.id = try insert(pin, into: StoredPIN.table)
    return pin
  }

  func save(_ pin: StoredPIN) throws(SQLiteError) { try update(pin, in: StoredPIN.table) }

  /// The sealed hashes, newest first. The first hash belongs to the current PIN, or to the last one if it was reset.
  func pinHashes(of pin: StoredPIN) throws(SQLiteError) -> [[UInt8]] {
    try all(StoredPINHash.table, "WHERE pin = ? ORDER BY position DESC", pin.id).map(\.sealed)
  }

  /// Saves a PIN with its new owner. `hashes` are sealed for the new owner, newest first.
  func move(_ pin: StoredPIN, with hashes: [[UInt8]]) throws(SQLiteError) {
    try save(pin)
    try run("DELETE FROM pin_hashes WHERE pin = ?", pin.id)
    for hash in hashes.reversed() { try insert(StoredPINHash(pin: pin.id, sealed: hash), into: StoredPINHash.table) }
  }

  func remove(_ pin: StoredPIN) throws(SQLiteError) {
    try run("DELETE FROM pins WHERE id = ?", pin.id)
  }

  /// Adds the hash of a new PIN, and keeps only the newest `count` hashes, including this one.
  func add(_ sealed: [UInt8], to pin: StoredPIN, keeping count: Int) throws(SQLiteError) {
    try insert(StoredPINHash(pin: pin.id, sealed: sealed), into: StoredPINHash.table)
    let sql = """
      DELETE FROM pin_hashes WHERE pin = ?1 AND position NOT IN
        (SELECT position FROM pin_hashes WHERE pin = ?1 ORDER BY position DESC LIMIT ?2)
      """
    try run(sql, pin.id, count)
  }
}
