import Cryptography

/// A random UUID (version 4), as text in lower case.
enum RandomUUID {
  static var text: String {
    var bytes = (try? Random.bytes(16)) ?? (0..<16).map { _ in UInt8.random(in: 0...255) }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = Array(Hex.encode(bytes).utf8)
    let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(decoding: digits[$0], as: UTF8.self) }
    return parts.joined(separator: "-")
  }
}

/// base64 as other programs write it: with either alphabet, with or without padding.
enum Base64Text {
  static func decode(_ text: String) -> [UInt8]? {
    Base64URL.decode(
      text.utf8.lazy.filter { $0 != UInt8(ascii: "=") }.map { byte in
        switch byte {
        case UInt8(ascii: "+"): UInt8(ascii: "-")
        case UInt8(ascii: "/"): UInt8(ascii: "_")
        default: byte
        }
      })
  }
}
