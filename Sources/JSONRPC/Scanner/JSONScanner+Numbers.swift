extension JSONScanner {
  /// What follows the number is for the caller to judge: `01` is a number and a stray digit.
  mutating func skipNumber() throws(JSONSyntaxError) {
    if byte == ASCII.minus { position &+= 1 }
    if byte == ASCII.zero { position &+= 1 } else { try skipDigits() }
    if byte == ASCII.point {
      position &+= 1
      try skipDigits()
    }
    guard byte | 0x20 == UInt8(ascii: "e") else { return }
    position &+= 1
    if byte == ASCII.plus || byte == ASCII.minus { position &+= 1 }
    try skipDigits()
  }

  @inline(__always)
  private mutating func skipDigits() throws(JSONSyntaxError) {
    guard ASCII.isDigit(byte) else { throw unexpected() }
    repeat { position &+= 1 } while ASCII.isDigit(byte)
  }

  /// `word` holds the letters, the first one lowest.
  @inline(__always)
  mutating func skipLiteral(_ word: UInt64, length: Int) throws(JSONSyntaxError) {
    var rest = word
    for _ in 0..<length {
      guard byte == UInt8(truncatingIfNeeded: rest) else { throw unexpected() }
      position &+= 1
      rest = rest &>> 8
    }
  }
}
