import Model
import Support

/// Recognizes personal numbers by their shape: phone numbers, cards, bank accounts, one-time codes.
enum NumberShapes {
  private static let longestIBAN = 34

  /// A card number: 13 to 19 digits in groups, with the first digit of an industry that issues cards and a valid check
  /// digit.
  static func endOfCard(_ start: SecretReader) -> Int? {
    guard start.isBefore({ (UInt8(ascii: "2")...UInt8(ascii: "6")).contains($0) }) else { return nil }
    return DigitGroups(start, separators: " -", most: 19).lastEnd { end in
      (13...19).contains(end.digits) && end.shortest >= 3 && start.text[start.index..<end.index].passesLuhn
    }?.index
  }

  /// An IBAN, with or without spaces, with valid check digits (ISO 13616, mod 97).
  static func endOfIBAN(_ start: SecretReader) -> Int? {
    var reader = start
    guard let country = reader.take(2, of: \.isLetter), let check = reader.take(2, of: \.isDigit) else { return nil }
    let beginning = (country + check).reduce(0) { $0.appendingToRemainder($1) }
    var (remainder, found) = (0, Int?.none)
    for count in 5...longestIBAN {
      _ = reader.skip(" ")
      guard let byte = reader.take(1, of: \.isAlphanumeric)?.first else { break }
      remainder = remainder.appendingToRemainder(byte)
      let isValid = (remainder * 1_000_000 + beginning) % 97 == 1
      if count >= 15, isValid, reader.isAtWordEnd { found = reader.index }
    }
    return found
  }

  /// A number that the text calls a code: six to eight digits, or four to eight after an unambiguous word.
  static func endOfCode(_ start: SecretReader) -> Int? {
    let groups = DigitGroups(start, separators: " -", most: 8)
    let end = groups.lastEnd { $0.shortest >= 3 && (4...8).contains($0.digits) }
    guard let end, end.digits == groups.ends.last?.digits else { return nil }
    let text = start.text
    if end.digits == 6, start.isAfter("G-"), start.index == 2 || !text[start.index - 3].isAlphanumeric {
      return end.index
    }
    switch SecretWords.isCode(text, at: start.index) {
    case .strong: return end.index
    case .weak: return end.digits >= 6 ? end.index : nil
    case nil: return end.digits >= 6 && SecretWords.isCode(text, endingAt: end.index) ? end.index : nil
    }
  }

  static func endOfPhone(_ start: SecretReader) -> Int? {
    var reader = start
    if reader.skip("+") || reader.isAfter("%2B") { return endOfInternational(reader) }
    guard start.isBefore(\.isDigit), !start.isAfter("+") else { return nil }
    let groups = DigitGroups(start, separators: " -./()", most: 15)
    if let end = groups.lastEnd(where: { (5...15).contains($0.digits) }),
      SecretWords.isPhone(start.text, at: start.index)
    {
      return end.index
    }
    guard let end = endOfNational(start), !SecretWords.isVersion(start.text, at: start.index) else { return nil }
    return end
  }

  /// For example `+49 30 1234567`; the reader is after the plus sign.
  private static func endOfInternational(_ start: SecretReader) -> Int? {
    var reader = start
    _ = reader.skip("(")
    guard reader.isBefore(\.isDigit), !reader.isBefore("0") else { return nil }
    return DigitGroups(reader, separators: " -./()", most: 15).lastEnd { (8...15).contains($0.digits) }?.index
  }

  private static func endOfNational(_ start: SecretReader) -> Int? {
    var reader = start
    guard reader.skip("0") else { return endOfAmerican(start) }
    let isAbroad = reader.skip("0")
    guard isAbroad ? !reader.isBefore("0") && reader.index < reader.text.count : reader.isBefore(\.isDigit) else {
      return nil
    }
    let groups = DigitGroups(start, separators: " -/)", most: 17)
    return groups.lastEnd { end in
      let isLong = isAbroad ? (11...17).contains(end.digits) : (9...11).contains(end.digits)
      let isGrouped = end.size < end.digits ? end.shortest >= 2 : end.digits >= 10
      // A colon follows a time such as `02 10:20`.
      return isLong && isGrouped && !SecretReader(start.text, at: end.index).isBefore(":")
    }?.index
  }

  /// For example `555-123-4567` or `(555) 123-4567`, also with a leading 1.
  private static func endOfAmerican(_ start: SecretReader) -> Int? {
    let groups = DigitGroups(start, separators: " -.()", most: 11)
    let fits = groups.sizes == [3, 3, 4] || groups.sizes == [1, 3, 3, 4] && start.isBefore("1")
    guard fits, let end = groups.ends.last, end.isWordEnd else { return nil }
    return end.index
  }
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
