import Cryptography
import Model

/// Names that replace personal data: equal for equal texts, and meaningless without the salt.
struct Pseudonyms: Sendable {
  private let salt: [UInt8]

  /// `salt` is 16 random bytes.
  init(salt: [UInt8]) {
    self.salt = salt
  }

  /// For example `<user:3fa1c2d4>`. ASCII case does not matter. "No user" is shown as `<user:none>`.
  func name(for value: String, label: String = "user") -> String {
    guard !value.isEmpty else { return "<\(label):none>" }
    // If there is no memory for the hash, all names are equal.
    let hash = (try? HMACSHA256.authenticate(Array(value.lowercasedASCII.utf8), key: salt)) ?? [0, 0, 0, 0]
    return "<\(label):" + Hex.encode(hash.prefix(4)) + ">"
  }
}
