import Cryptography
import Model
import SQLite
import Vault

/// The stretched form of a PIN. It leaves the process only sealed under the store key.
struct PINHash: Sendable {
  private static let length = 32
  private let bytes: SecretBytes

  /// Slow on purpose: this slows down guessing.
  init(_ pin: HostSecret, for stored: StoredPIN) throws(MAMError) {
    bytes = try MAMError.keys { () throws(CryptographyError) in
      try Scrypt.derive(pin.bytes, salt: stored.salt, parameters: stored.stretching, count: Self.length)
    }
  }

  /// `nil` if the sealed hash is damaged or belongs to another user.
  init?(_ sealed: [UInt8], of stored: StoredPIN, by keys: KeyStore) throws(MAMError) {
    guard let bytes = try keys.open(sealed, associatedData: stored.sealedWith) else { return nil }
    self.bytes = bytes
  }

  func sealed(for stored: StoredPIN, by keys: KeyStore) throws(MAMError) -> [UInt8] {
    try keys.seal(bytes, associatedData: stored.sealedWith)
  }

  /// Compares the hashes in constant time; `nil` if the sealed hash is damaged or belongs to another user.
  func equals(_ sealed: [UInt8], of stored: StoredPIN, by keys: KeyStore) throws(MAMError) -> Bool? {
    try PINHash(sealed, of: stored, by: keys).map { $0.bytes == bytes }
  }
}

extension StoredPIN {
  /// The data that is authenticated with a hash. The hash of a row that is moved to another user or publisher cannot be
  /// opened.
  fileprivate var sealedWith: [UInt8] {
    let texts = ["mam/pin/v1", owner.publisher, owner.account.accountId ?? "", owner.account.identity ?? ""]
    let numbers = [stretching.cost, stretching.blockSize, stretching.parallelism]
    return texts.flatMap { Array($0.utf8) + [0] } + Array("\(numbers)".utf8) + salt
  }
}

extension AccountPIN {
  /// Adds a row without a PIN for the account.
  func make() throws(MAMError) -> StoredPIN {
    let salt = try MAMError.keys { () throws(CryptographyError) in try Random.bytes(Scrypt.saltLength) }
    let owner = PINOwner(publisher: pins.live.configuration.stateFolder.publisher, account: account.account)
    let stretching = pins.live.configuration.pinStretching
    return try services.device.write { connection throws(SQLiteError) in
      try connection.add(owner, salt: salt, stretching)
    }
  }

  func isRight(_ pin: HostSecret, _ stored: StoredPIN) throws(MAMError) -> Bool {
    let hash = try PINHash(pin, for: stored)
    let sealed = try hashes(of: stored).first ?? []
    guard let isRight = try hash.equals(sealed, of: stored, by: services.keys) else {
      throw .damagedPIN(pins.live.configuration.stateFolder.device)
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
  func store(_ sealed: [UInt8], of stored: StoredPIN) throws(MAMError) {
    let now = pins.live.now
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
