import Support

/// A test such as `ANY $attachment.registeredTypeIdentifiers UTI-CONFORMS-TO "public.url"` in the text of a predicate.
struct TypeTest {
  /// The whole test, from the aggregate word or, if there is none, from the key path.
  let range: Range<Int>
  /// The type identifier between the quotes.
  let type: Range<Int>
  /// Whether the test is true when no identifier conforms. Then its copy must be joined by AND.
  let isNegated: Bool

  /// All tests, in order. The text may be that of an XML file, with entities.
  static func all(in text: [UInt8]) -> [TypeTest] {
    var tests: [TypeTest] = []
    var position = 0
    while position < text.count {
      let end = operators.compactMap { text.end(of: $0, at: position) }.first
      if let end, let test = TypeTest(operatorAt: position..<end, in: text) {
        tests.append(test)
        position = test.range.upperBound
      } else {
        position += 1
      }
    }
    return tests
  }

  private static let operators = ["UTI-CONFORMS-TO", "UTI-EQUALS"]
  private static let quotes = ["\"", "'", "&quot;", "&apos;"]

  private init?(operatorAt place: Range<Int>, in text: [UInt8]) {
    let opening = text.afterSpace(place.upperBound)
    guard let quote = Self.quotes.first(where: { text.end(of: $0, at: opening) != nil }) else { return nil }
    let start = opening + quote.utf8.count
    guard let end = (start..<text.count).first(where: { text.end(of: quote, at: $0) != nil }), start < end else {
      return nil
    }
    let path = text.wordBefore(place.lowerBound)
    guard !path.isEmpty else { return nil }
    let word = text.wordBefore(path.lowerBound)
    let aggregate = String(decoding: text[word], as: UTF8.self).uppercased()
    isNegated = aggregate == "NONE"
    let isAggregate = ["ANY", "SOME", "ALL", "NONE"].contains(aggregate)
    range = (isAggregate ? word.lowerBound : path.lowerBound)..<end + quote.utf8.count
    type = start..<end
  }
}

extension [UInt8] {
  /// The position after `word`, ignoring case, or `nil` if `word` is not at `position`.
  func end(of word: String, at position: Int) -> Int? {
    let end = position + word.utf8.count
    guard end <= count else { return nil }
    let isSame = zip(self[position..<end], word.utf8).allSatisfy { $0 == $1 || $0 == $1 | 0x20 && $1.isUpper }
    return isSame ? end : nil
  }

  func afterSpace(_ position: Int) -> Int {
    self[position...].firstIndex { $0 > 0x20 } ?? count
  }

  func beforeSpace(_ position: Int) -> Int {
    self[..<position].lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? 0
  }

  /// The key path or word before `position`, with or without white space between.
  fileprivate func wordBefore(_ position: Int) -> Range<Int> {
    let end = beforeSpace(position)
    let start = self[..<end].lastIndex { !$0.isPathByte }.map { $0 + 1 } ?? 0
    return start..<end
  }
}

extension UInt8 {
  fileprivate var isUpper: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }

  fileprivate var isPathByte: Bool {
    isAlphanumeric || "$._@".utf8.contains(self)
  }
}
