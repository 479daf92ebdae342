import Cryptography
import Model

/// Names that stand for personal data: the same for the same text, and of no use without the salt.
struct Pseudonyms: Sendable {
  private let salt: [UInt8]

  /// 16 random bytes.
  init(salt: [UInt8]) {
    self.salt = salt
  }

  /// Such as `<user:3fa1c2d4>`; ASCII case does not matter. No user stays visible as `<user:none>`.
  func name(for value: String, label: String = "user") -> String {
    guard !value.isEmpty else { return "<\(label):none>" }
    // Without memory for the hash all names are the same.
    let hash = (try? HMACSHA256.authenticate(Array(value.lowercasedASCII.utf8), key: salt)) ?? [0, 0, 0, 0]
    return "<\(label):" + Hex.encode(hash.prefix(4)) + ">"
  }
}
