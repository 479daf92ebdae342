extension String {
  /// Letters A to Z in lower case, all else as it is.
  package var lowercasedASCII: String {
    guard utf8.contains(where: { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") }) else { return self }
    return String(decoding: utf8.map { $0 &- UInt8(ascii: "A") < 26 ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  /// Whether this is a GUID in 8-4-4-4-12 form, in any case.
  package var isGUID: Bool {
    guard utf8.count == 36 else { return false }
    var index = 0
    for byte in utf8 {
      let isDash = index == 8 || index == 13 || index == 18 || index == 23
      guard isDash ? byte == UInt8(ascii: "-") : byte.isHexDigit else { return false }
      index += 1
    }
    return true
  }
}

extension UInt8 {
  fileprivate var isHexDigit: Bool {
    self &- UInt8(ascii: "0") < 10 || (self | 0x20) &- UInt8(ascii: "a") < 6
  }
}

extension StringProtocol {
  /// Without spaces, tabs and line ends on both sides.
  package var trimmedASCII: String {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    let bytes = Array(utf8)
    guard let start = bytes.firstIndex(where: { !isSpace($0) }),
      let end = bytes.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(decoding: bytes[start...end], as: UTF8.self)
  }
}
