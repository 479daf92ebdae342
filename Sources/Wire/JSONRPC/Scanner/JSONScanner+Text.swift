import Support

extension JSONScanner {
  /// Moves from the opening quote past the closing one. Accepts escapes of lone surrogates, which the grammar allows.
  @inline(__always)
  mutating func string() throws(JSONSyntaxError) -> StringSpan {
    guard byte == ASCII.quote else { throw unexpected() }
    position &+= 1
    let start = position
    skipPlain()
    noteEscape(false)
    if byte != ASCII.quote { try skipRestOfString() }
    let end = position
    position &+= 1
    return StringSpan(content: Range(uncheckedBounds: (start, end)), hasEscapes: sawEscape)
  }

  /// Moves past the closing quote.
  private mutating func skipRestOfString() throws(JSONSyntaxError) {
    while true {
      let next = byte
      if next == ASCII.quote { return }
      if next == ASCII.backslash {
        try skipEscape()
        noteEscape(true)
      } else if next >= 0x80 {
        try skipMultibyte()
      } else {
        throw unexpected(.controlCharacter)
      }
      skipPlain()
    }
  }

  /// Moves to the next quote, backslash, control character or non-ASCII byte, eight bytes at a time.
  @inline(__always)
  private mutating func skipPlain() {
    var at = position
    while at &+ 8 <= count {
      let special = Self.specialBytes(of: loadWord(at))
      if special != 0 {
        position = at &+ special.trailingZeroBitCount &>> 3
        return
      }
      at &+= 8
    }
    while at < count, Self.isPlain(load(at)) { at &+= 1 }
    position = at
  }

  /// The lowest bit set is the high bit of the first special byte. Higher bits have no meaning: a subtraction borrows
  /// from the next byte only after a match.
  @inline(__always)
  private static func specialBytes(of word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let control = word &- ones &* 0x20
    let quote = (word ^ ones &* UInt64(ASCII.quote)) &- ones
    let backslash = (word ^ ones &* UInt64(ASCII.backslash)) &- ones
    return (word | control | quote | backslash) & (ones &* 0x80)
  }

  @inline(__always)
  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x80 && byte != ASCII.quote && byte != ASCII.backslash
  }

  private mutating func skipEscape() throws(JSONSyntaxError) {
    let start = position
    position &+= 1
    switch byte {
    case ASCII.quote, ASCII.backslash, UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
      UInt8(ascii: "r"), UInt8(ascii: "t"):
      position &+= 1
    case UInt8(ascii: "u"): try skipHexadecimal(ofEscapeAt: start)
    default: throw escapeError(at: start)
    }
  }

  private mutating func skipHexadecimal(ofEscapeAt start: Int) throws(JSONSyntaxError) {
    for _ in 0..<4 {
      position &+= 1
      guard byte.isHexDigit else { throw escapeError(at: start) }
    }
    position &+= 1
  }

  private func escapeError(at start: Int) -> JSONSyntaxError {
    position >= count ? unexpected() : JSONSyntaxError(reason: .invalidEscape, offset: start)
  }
}

extension JSONScanner {
  /// Moves past a run of non-ASCII characters.
  mutating func skipMultibyte() throws(JSONSyntaxError) {
    repeat {
      let length = Self.sequenceLength(nextBytes)
      guard length > 0 else { throw JSONSyntaxError(reason: .invalidUTF8, offset: position) }
      position &+= length
    } while byte >= 0x80
  }

  /// The next four bytes, with the first one lowest. Bytes after the end are zero, which continues no sequence.
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

  /// The length of the non-ASCII character that begins in the lowest byte; 0 if it is invalid: cut off, a stray
  /// continuation byte, overlong, a surrogate, or above U+10FFFF.
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
