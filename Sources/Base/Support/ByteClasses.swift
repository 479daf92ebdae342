/// The classes of ASCII characters. No byte of a character beyond ASCII belongs to one.
extension UInt8 {
  @inlinable package var isDigit: Bool { self &- 0x30 < 10 }
  @inlinable package var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }
  @inlinable package var isAlphanumeric: Bool { isDigit || isLetter }
  /// In either case.
  @inlinable package var isHexDigit: Bool { isDigit || (self | 0x20) &- 0x61 < 6 }

  /// A space, a tab, or what ends a line or a page.
  @inlinable package var isWhitespace: Bool { self == 0x20 || self &- 0x09 < 5 }

  /// A letter from A to Z in lower case, and any other byte as it is.
  @inlinable package var lowercasedLetter: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}
