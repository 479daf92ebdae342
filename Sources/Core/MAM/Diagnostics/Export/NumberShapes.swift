import Model

/// Recognizes personal numbers by their shape: phone numbers, cards, bank accounts, one-time codes. Every function
/// looks at a bounded piece of the text.
enum NumberShapes {
  private static let longestIBAN = 34

  /// A card number: 13 to 19 digits in groups, with the first digit of an industry that issues cards and a valid check
  /// digit.
  static func endOfCard(_ text: [UInt8], _ start: Int) -> Int? {
    guard (UInt8(ascii: "2")...UInt8(ascii: "6")).contains(text[start]) else { return nil }
    let groups = DigitGroups(text, at: start, separators: " -", most: 19)
    return groups.ends.reversed().first { end in
      (13...19).contains(end.digits) && end.shortest >= 3 && text[start..<end.index].passesLuhn
        && text.isWordEnd(end.index)
    }?.index
  }

  /// An IBAN, with or without spaces, with valid check digits (ISO 13616, mod 97).
  static func endOfIBAN(_ text: [UInt8], _ start: Int) -> Int? {
    guard start + 15 <= text.count, text[start].isLetter, text[start + 1].isLetter, text[start + 2].isDigit,
      text[start + 3].isDigit
    else { return nil }
    let country = text[start..<start + 4].reduce(0) { $0.appendingToRemainder($1) }
    var (index, count, remainder, found) = (start + 4, 4, 0, Int?.none)
    while index < text.count, count < longestIBAN {
      if text[index] == 0x20, index + 1 < text.count, text[index + 1].isAlphanumeric { index += 1 }
      guard text[index].isAlphanumeric else { break }
      remainder = remainder.appendingToRemainder(text[index])
      (index, count) = (index + 1, count + 1)
      let isValid = (remainder * 1_000_000 + country) % 97 == 1
      if count >= 15, isValid, text.isWordEnd(index) { found = index }
    }
    return found
  }

  /// A number that the text calls a code: six to eight digits, or four to eight after an unambiguous word.
  static func endOfCode(_ text: [UInt8], _ start: Int) -> Int? {
    let groups = DigitGroups(text, at: start, separators: " -", most: 8)
    let end = groups.ends.last { $0.shortest >= 3 && (4...8).contains($0.digits) && text.isWordEnd($0.index) }
    guard let end, end.digits == groups.ends.last?.digits else { return nil }
    if end.digits == 6, start >= 2, text[start - 1] == UInt8(ascii: "-"), text[start - 2] == UInt8(ascii: "G"),
      start == 2 || !text[start - 3].isAlphanumeric
    {
      return end.index
    }
    switch SecretWords.isCode(text, at: start) {
    case .strong: return end.index
    case .weak: return end.digits >= 6 ? end.index : nil
    case nil: return end.digits >= 6 && isCalledCode(text, after: end.index) ? end.index : nil
    }
  }

  /// Whether words such as `is your code` follow: `123456 is your code`.
  private static func isCalledCode(_ text: [UInt8], after end: Int) -> Bool {
    let phrases = [
      " is your ", " ist ihr ", " ist dein ", " es tu ", " es su ", " est votre ", " est ton ", " è il tuo ",
      " é o seu ", " é seu ",
    ]
    let next = String(decoding: text[end..<min(text.count, end + 16)], as: UTF8.self).lowercased()
    return phrases.contains { next.hasPrefix($0) }
  }

  static func endOfPhone(_ text: [UInt8], _ start: Int) -> Int? {
    let isEncoded = start >= 3 && text[(start - 3)..<start].elementsEqual("%2B".utf8)
    if text[start] == UInt8(ascii: "+") || isEncoded { return endOfInternational(text, isEncoded ? start : start + 1) }
    guard text[start].isDigit, start == 0 || text[start - 1] != UInt8(ascii: "+") else { return nil }
    let groups = DigitGroups(text, at: start, separators: " -./()", most: 15)
    if let end = groups.longest(5...15, in: text), SecretWords.isPhone(text, at: start) { return end }
    guard let end = endOfNational(text, start), !SecretWords.isVersion(text, at: start) else { return nil }
    return end
  }

  /// For example `+49 30 1234567`; the plus sign is before `start`.
  private static func endOfInternational(_ text: [UInt8], _ start: Int) -> Int? {
    let first = start < text.count && text[start] == UInt8(ascii: "(") ? start + 1 : start
    guard first < text.count, (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(text[first]) else { return nil }
    return DigitGroups(text, at: first, separators: " -./()", most: 15).longest(8...15, in: text)
  }

  private static func endOfNational(_ text: [UInt8], _ start: Int) -> Int? {
    let second = start + 1 < text.count ? text[start + 1] : 0
    guard text[start] == UInt8(ascii: "0") else { return endOfAmerican(text, start) }
    let isAbroad = second == UInt8(ascii: "0")
    guard second.isDigit, !isAbroad || start + 2 < text.count && text[start + 2] != UInt8(ascii: "0") else {
      return nil
    }
    let groups = DigitGroups(text, at: start, separators: " -/)", most: 17)
    return groups.ends.reversed().first { end in
      let isLong = isAbroad ? (11...17).contains(end.digits) : (9...11).contains(end.digits)
      let isGrouped = end.groups > 1 ? end.shortest >= 2 : end.digits >= 10
      return isLong && isGrouped && text.isWordEnd(end.index) && !isClock(text, end.index)
    }?.index
  }

  /// For example `555-123-4567` or `(555) 123-4567`, also with a leading 1.
  private static func endOfAmerican(_ text: [UInt8], _ start: Int) -> Int? {
    let groups = DigitGroups(text, at: start, separators: " -.()", most: 11)
    let sizes = groups.sizes
    guard sizes == [3, 3, 4] || sizes == [1, 3, 3, 4] && text[start] == UInt8(ascii: "1"), let end = groups.ends.last,
      text.isWordEnd(end.index)
    else { return nil }
    return end.index
  }

  /// Whether a colon follows, as in the time `02 10:20`.
  private static func isClock(_ text: [UInt8], _ index: Int) -> Bool {
    index < text.count && text[index] == UInt8(ascii: ":")
  }
}

/// Digits in groups, with one or two separators between groups.
private struct DigitGroups {
  struct End {
    let index: Int
    let digits: Int
    let groups: Int
    /// The size of the group that ends here.
    let size: Int
    /// The size of the shortest group except the last.
    let shortest: Int
  }

  private(set) var ends: [End] = []
  var sizes: [Int] { ends.map(\.size) }

  /// Stops before the group that would exceed `most` digits.
  init(_ text: [UInt8], at start: Int, separators: StaticString, most: Int) {
    ends.reserveCapacity(most)
    var (index, digits) = (start, 0)
    while true {
      var end = index
      while end < text.count, text[end].isDigit, digits <= most { (end, digits) = (end + 1, digits + 1) }
      guard end > index, digits <= most else { break }
      let shortest = ends.last.map { min($0.shortest, $0.size) } ?? end - index
      ends.append(End(index: end, digits: digits, groups: ends.count + 1, size: end - index, shortest: shortest))
      index = end
      while index < text.count, index < end + 3, Self.contains(separators, text[index]) { index += 1 }
      guard index > end, index < text.count, text[index].isDigit else { break }
    }
  }

  func longest(_ counts: ClosedRange<Int>, in text: [UInt8]) -> Int? {
    ends.reversed().first { counts.contains($0.digits) && text.isWordEnd($0.index) }?.index
  }

  private static func contains(_ set: StaticString, _ byte: UInt8) -> Bool {
    UnsafeBufferPointer(start: set.utf8Start, count: set.utf8CodeUnitCount).contains(byte)
  }
}

extension [UInt8] {
  /// Whether no letter or digit follows.
  func isWordEnd(_ index: Int) -> Bool { index >= count || !self[index].isAlphanumeric }
}

extension ArraySlice<UInt8> {
  /// Whether the check digit is valid (ISO/IEC 7812).
  fileprivate var passesLuhn: Bool {
    filter(\.isDigit).reversed().enumerated().reduce(0) { sum, place in
      let digit = Int(place.element & 15) << (place.offset % 2)
      return sum + digit / 10 + digit % 10
    } % 10 == 0
  }
}

extension Int {
  /// The remainder modulo 97 after a digit, or a letter as two digits, is appended.
  fileprivate func appendingToRemainder(_ byte: UInt8) -> Int {
    byte.isDigit
      ? (self * 10 + Int(byte & 15)) % 97 : (self * 100 + Int((byte | 0x20) - UInt8(ascii: "a")) + 10) % 97
  }
}
