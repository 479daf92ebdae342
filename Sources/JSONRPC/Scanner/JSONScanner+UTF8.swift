extension JSONScanner {
  /// Past a run of characters outside ASCII.
  mutating func skipMultibyte() throws(JSONSyntaxError) {
    repeat {
      let length = Self.sequenceLength(nextBytes)
      guard length > 0 else { throw JSONSyntaxError(reason: .invalidUTF8, offset: position) }
      position &+= length
    } while byte >= 0x80
  }

  /// The next four bytes, the first one lowest; zeros behind the end, which no sequence continues with.
  @inline(__always)
  private var nextBytes: UInt32 {
    if position &+ 4 <= count { return loadHalf(position) }
    var bytes: UInt32 = 0
    var at = count
    while at > position {
      at &-= 1
      bytes = bytes &<< 8 | UInt32(load(at))
    }
    return bytes
  }

  /// Of the character that begins in the lowest byte, which is not ASCII; 0 when it is none: cut or stray
  /// continuation, longer than needed, a surrogate, above U+10FFFF.
  @inline(__always)
  private static func sequenceLength(_ bytes: UInt32) -> Int {
    if bytes & 0x00C0_C0F0 == 0x0080_80E0 {
      let top = bytes & 0x200F
      return top != 0 && top != 0x200D ? 3 : 0
    }
    if bytes & 0xC0E0 == 0x80C0 { return bytes & 0x1E != 0 ? 2 : 0 }
    guard bytes & 0xC0C0_C0F8 == 0x8080_80F0 else { return 0 }
    let isLongEnough = bytes & 0x3007 != 0
    let isInRange = bytes & 4 == 0 || bytes & 0x3003 == 0
    return isLongEnough && isInRange ? 4 : 0
  }
}
