import Cryptography
import Model
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
