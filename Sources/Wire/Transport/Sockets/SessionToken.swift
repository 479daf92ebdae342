import Cryptography
import Support

/// The secret of one server process: 64 hex digits that are in no file.
package struct SessionToken: Sendable {
  package let text: String
  private let digest: [UInt8]

  /// A new token. Throws if the system gives no random bytes.
  package init() throws(CryptographyError) {
    text = Hex.encode(try Random.bytes(32))
    digest = try SHA256.digest(Array(text.utf8))
  }

  /// Compares digests, so that the duration reveals nothing about the token.
  package func isToken(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let found = try? SHA256.digest(UnsafeRawBufferPointer(text)) else { return false }
    return constantTimeEquals(digest, found)
  }
}
