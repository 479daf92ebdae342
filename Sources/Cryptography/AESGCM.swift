/// AES-256 in Galois/counter mode (NIST SP 800-38D), with nonces of 12 and tags of 16 bytes only.
///
/// These take a fresh context each time; who seals much keeps an `AESGCM.Context`.
package enum AESGCM {
  package static let keyLength = 32
  package static let nonceLength = 12
  package static let tagLength = 16

  /// The ciphertext, then the tag.
  package static func seal(
    _ plaintext: some ByteSource, key: some ByteSource, nonce: some ByteSource, associatedData: some ByteSource
  ) throws(CryptographyError) -> [UInt8] {
    try Context(key: key).seal(plaintext, nonce: nonce, associatedData: associatedData)
  }

  /// Takes the ciphertext with the tag behind it.
  package static func open(
    _ sealed: some ByteSource, key: some ByteSource, nonce: some ByteSource, associatedData: some ByteSource
  ) throws(CryptographyError) -> [UInt8] {
    try Context(key: key).open(sealed, nonce: nonce, associatedData: associatedData)
  }

  /// As `open`, for a wrapped key.
  package static func openSecret(
    _ sealed: some ByteSource, key: some ByteSource, nonce: some ByteSource, associatedData: some ByteSource
  ) throws(CryptographyError) -> SecretBytes {
    try Context(key: key).openSecret(sealed, nonce: nonce, associatedData: associatedData)
  }
}
