import Cryptography
import Model
import Vault

/// What a PIN is known by: its stretched form, which leaves the process sealed under the store key only.
struct PINHash: Sendable {
  private static let length = 32
  private let bytes: SecretBytes

  /// Slow, as guessing shall be.
  init(_ pin: HostSecret, for stored: StoredPIN) throws(MAMError) {
    bytes = try MAMError.keys { () throws(CryptographyError) in
      try Scrypt.derive(pin.bytes, salt: stored.salt, parameters: stored.stretching, count: Self.length)
    }
  }

  /// Nil when the sealed hash is damaged, or another user's.
  init?(_ sealed: [UInt8], of stored: StoredPIN, by keys: KeyStore) throws(MAMError) {
    guard let bytes = try keys.open(sealed, associatedData: stored.sealedWith) else { return nil }
    self.bytes = bytes
  }

  func sealed(for stored: StoredPIN, by keys: KeyStore) throws(MAMError) -> [UInt8] {
    try keys.seal(bytes, associatedData: stored.sealedWith)
  }

  /// In constant time. Nil when the sealed one is damaged, or another user's.
  func equals(_ sealed: [UInt8], of stored: StoredPIN, by keys: KeyStore) throws(MAMError) -> Bool? {
    try PINHash(sealed, of: stored, by: keys).map { $0.bytes == bytes }
  }
}

extension StoredPIN {
  /// A row that is moved to another user or publisher opens no more.
  fileprivate var sealedWith: [UInt8] {
    let texts = ["mam/pin/v1", owner.publisher, owner.account.accountId ?? "", owner.account.identity ?? ""]
    let numbers = [stretching.cost, stretching.blockSize, stretching.parallelism]
    return texts.flatMap { Array($0.utf8) + [0] } + Array("\(numbers)".utf8) + salt
  }
}
