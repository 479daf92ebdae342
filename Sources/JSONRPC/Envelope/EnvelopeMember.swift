/// The members of an envelope that mean something; the raw value is the name, its first letter lowest.
enum EnvelopeMember: UInt64, CaseIterable {
  case id = 0x6469
  case method = 0x646F_6874_656D
  case params = 0x736D_6172_6170
  case jsonrpc = 0x63_7072_6E6F_736A
  case result = 0x746C_7573_6572
  case error = 0x72_6F72_7265

  /// A set with this member alone.
  @inline(__always)
  var bit: UInt8 {
    switch self {
    case .id: 1
    case .method: 2
    case .params: 4
    case .jsonrpc: 8
    case .result: 16
    case .error: 32
    }
  }
}

/// Short text as a number, for comparing without building a string.
enum PackedText {
  /// "2.0"
  static let version: UInt64 = 0x30_2E32

  /// The unescaped bytes of the inside of a string, the first one lowest; nil when it is longer than eight bytes or
  /// holds an escape for anything but an ASCII character: no name and no version here does.
  static func pack(_ content: UnsafeBufferPointer<UInt8>, hasEscapes: Bool) -> UInt64? {
    if hasEscapes { return packEscaped(content) }
    guard content.count <= 8 else { return nil }
    var packed: UInt64 = 0
    for byte in content.reversed() { packed = packed &<< 8 | UInt64(byte) }
    return packed
  }

  private static func packEscaped(_ content: UnsafeBufferPointer<UInt8>) -> UInt64? {
    var packed: UInt64 = 0
    var shift: UInt64 = 0
    var at = 0
    while at < content.count {
      guard shift < 64, let byte = nextByte(in: content, at: &at) else { return nil }
      packed |= UInt64(byte) &<< shift
      shift &+= 8
    }
    return packed
  }

  /// NUL is refused: it would vanish in the packed number.
  private static func nextByte(in content: UnsafeBufferPointer<UInt8>, at: inout Int) -> UInt8? {
    guard content[at] == ASCII.backslash else {
      defer { at &+= 1 }
      return content[at]
    }
    guard let unit = JSONUnescaping.codeUnit(in: content, at: &at), unit > 0, unit < 0x80 else { return nil }
    return UInt8(truncatingIfNeeded: unit)
  }
}
