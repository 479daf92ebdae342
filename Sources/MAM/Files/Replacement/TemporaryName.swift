import Cryptography
import Model
import SQLite

/// Names a temporary file by a number that no other has.
struct TemporaryName: Hashable, Sendable {
  let id: Int64

  init(id: Int64) {
    self.id = id
  }

  static func random() throws(MAMError) -> TemporaryName {
    let bytes = try MAMError.keys { () throws(CryptographyError) in try Random.bytes(8) }
    return TemporaryName(id: bytes.reduce(0) { $0 << 8 | Int64($1) } & .max)
  }

  private static let (prefix, suffix) = (".mambridge-", ".tmp")

  var text: String {
    let digits = String(id, radix: 16)
    return Self.prefix + String(repeating: "0", count: 16 - digits.count) + digits + Self.suffix
  }

  /// Whether a file has the name of a temporary one.
  static func isOne(_ text: String) -> Bool {
    guard text.hasPrefix(prefix), text.hasSuffix(suffix) else { return false }
    let digits = text.dropFirst(prefix.count).dropLast(suffix.count)
    return Int64(digits, radix: 16).map { TemporaryName(id: $0).text == text } ?? false
  }
}
