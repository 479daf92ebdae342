import Cryptography
import Model
import SQLite

extension AccountPIN {
  /// Adds a row without a PIN for the account.
  func make() throws(MAMError) -> StoredPIN {
    let salt = try MAMError.keys { () throws(CryptographyError) in try Random.bytes(Scrypt.saltLength) }
    let owner = PINOwner(publisher: core.configuration.stateFolder.publisher, account: account.account)
    let stretching = core.configuration.pinStretching
    return try services.device.write { connection throws(SQLiteError) in
      try connection.add(owner, salt: salt, stretching)
    }
  }

  func isRight(_ pin: HostSecret, _ stored: StoredPIN) throws(MAMError) -> Bool {
    let hash = try PINHash(pin, for: stored)
    let sealed = try hashes(of: stored).first ?? []
    guard let isRight = try hash.equals(sealed, of: stored, by: services.keys) else {
      throw .damagedPIN(core.configuration.stateFolder.device)
    }
    return isRight
  }

  /// Whether the PIN is one of the last PINs that the policy blocks. Damaged hashes are skipped.
  func wasUsed(_ hash: PINHash, _ stored: StoredPIN) throws(MAMError) -> Bool {
    guard rules.blockedPrevious > 0 else { return false }
    for sealed in try hashes(of: stored).prefix(rules.blockedPrevious) {
      if try hash.equals(sealed, of: stored, by: services.keys) == true { return true }
    }
    return false
  }

  private func hashes(of stored: StoredPIN) throws(MAMError) -> [[UInt8]] {
    try services.device.read { connection throws(SQLiteError) in try connection.pinHashes(of: stored) } ?? []
  }

  /// Makes this the current PIN. Keeps as many earlier hashes as any policy may need later.
  func keep(_ sealed: [UInt8], of stored: StoredPIN) throws(MAMError) {
    let now = core.now
    let new = StoredPIN(
      id: stored.id, owner: stored.owner, salt: stored.salt, stretching: stored.stretching, isSet: true, setAt: now,
      typedAt: now, activeAt: now)
    let count = max(Self.keptHashes, rules.blockedPrevious)
    try services.device.write { connection throws(SQLiteError) in
      try connection.add(sealed, to: new, keeping: count)
      try connection.save(new)
    }
  }

  /// The maximum of `previousPinBlockCount`.
  private static let keptHashes = 24
}
