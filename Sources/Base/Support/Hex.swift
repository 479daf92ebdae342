/// Bytes as two lowercase digits each. Not in constant time: for names and salts, never for keys.
package enum Hex {
  private static let digits = Array("0123456789abcdef".utf8)

  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// Accepts uppercase, too; `nil` for an odd number of digits or other characters.
  package static func decode(_ text: some StringProtocol) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = value(digits[index]), let low = value(digits[index + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// Of a digit in either case; `nil` for any other byte.
  @inlinable package static func value(_ digit: UInt8) -> UInt8? {
    guard digit.isHexDigit else { return nil }
    return digit.isDigit ? digit &- 0x30 : (digit | 0x20) &- 0x61 &+ 10
  }
}

/// UUIDs of RFC 9562.
package enum UUIDBytes {
  /// 16 bytes with the marks of a UUID.
  package static func marked(_ bytes: [UInt8], version: UInt8) -> [UInt8] {
    var bytes = bytes
    bytes[6] = bytes[6] & 0x0F | version << 4
    bytes[8] = bytes[8] & 0x3F | 0x80
    return bytes
  }
}

extension String {
  /// A UUID of 16 bytes, in lower case.
  package init(uuid bytes: [UInt8], version: UInt8) {
    let digits = Array(Hex.encode(UUIDBytes.marked(bytes, version: version)).utf8)
    let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(decoding: digits[$0], as: UTF8.self) }
    self = parts.joined(separator: "-")
  }

  /// A UUID from the kernel's random numbers, which nobody can guess.
  package static var randomUUID: String {
    let halves = (0..<2).map { _ in UInt64.random(in: .min ... .max) }
    return String(uuid: halves.withUnsafeBytes { Array($0) }, version: 4)
  }
}

extension Collection<UInt8> {
  /// Whether this is a GUID in 8-4-4-4-12 form, in any case.
  @inlinable package var isGUID: Bool {
    guard count == 36 else { return false }
    var place = 0
    for byte in self {
      let isDash = place == 8 || place == 13 || place == 18 || place == 23
      guard isDash ? byte == UInt8(ascii: "-") : byte.isHexDigit else { return false }
      place += 1
    }
    return true
  }
}
