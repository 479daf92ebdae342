import Support

/// A place in a text, from which the shapes of numbers and addresses are read. A read that fails moves nothing.
struct SecretReader {
  let text: [UInt8]
  private(set) var index: Int

  init(_ text: [UInt8], at index: Int) { (self.text, self.index) = (text, index) }

  /// Whether the text goes on with a byte of a class.
  func isBefore(_ isMember: (UInt8) -> Bool) -> Bool { index < text.count && isMember(text[index]) }

  func isBefore(_ other: String) -> Bool { text[index...].starts(with: other.utf8) }

  func isAfter(_ other: String) -> Bool { text[..<index].suffix(other.utf8.count).elementsEqual(other.utf8) }

  /// Whether no letter or digit follows.
  var isAtWordEnd: Bool { !isBefore(\.isAlphanumeric) }

  mutating func skip(_ other: String) -> Bool {
    guard isBefore(other) else { return false }
    index += other.utf8.count
    return true
  }

  /// Reads a number of bytes of a class.
  mutating func take(_ count: Int, of isMember: (UInt8) -> Bool) -> ArraySlice<UInt8>? {
    let found = text[index...].prefix(count)
    guard found.count == count, found.allSatisfy(isMember) else { return nil }
    index = found.endIndex
    return found
  }

  /// Reads all bytes of a class that follow, if their number is allowed.
  mutating func run(_ counts: ClosedRange<Int>, of isMember: (UInt8) -> Bool) -> ArraySlice<UInt8>? {
    let found = text[index...].prefix(counts.upperBound + 1).prefix(while: isMember)
    guard counts.contains(found.count) else { return nil }
    index = found.endIndex
    return found
  }
}

/// Digits in groups, with one to three separators between groups.
struct DigitGroups {
  struct End {
    let index: Int
    /// The number of digits up to here.
    let digits: Int
    /// The size of the group that ends here.
    let size: Int
    /// The size of the shortest group except the last.
    let shortest: Int
    /// Whether no letter or digit follows.
    let isWordEnd: Bool
  }

  private(set) var ends: [End] = []
  var sizes: [Int] { ends.map(\.size) }

  /// Stops before the group that would exceed `most` digits.
  init(_ reader: SecretReader, separators: String, most: Int) {
    var (reader, digits) = (reader, 0)
    while most > digits, let group = reader.run(1...(most - digits), of: \.isDigit) {
      digits += group.count
      ends.append(
        End(
          index: group.endIndex, digits: digits, size: group.count,
          shortest: ends.last.map { min($0.shortest, $0.size) } ?? group.count, isWordEnd: reader.isAtWordEnd))
      let isSeparator = { (byte: UInt8) in separators.utf8.contains(byte) }
      guard reader.take(1, of: isSeparator) != nil else { break }
      for _ in 0..<2 { _ = reader.take(1, of: isSeparator) }
    }
  }

  /// The last end of a word that fits.
  func lastEnd(where fits: (End) -> Bool) -> End? { ends.last { $0.isWordEnd && fits($0) } }
}
