/// An enumeration of Microsoft Graph's policy objects. Its words are Graph's; its numbers are those of Graph and of the
/// SDK.
///
/// Graph and the SDK number the same members differently, so a number has a meaning only together with its system.
package protocol GraphEnum: RawRepresentable<String>, CaseIterable, Hashable, Sendable where AllCases == [Self] {
  /// Graph's own name, such as `managedAppDataTransferLevel`.
  static var graphName: String { get }
  /// Graph's numbers in the order of the cases; `nil` if Graph has none, or none is known.
  static var graphNumbers: [Int?] { get }
  /// The numbers that the SDK delivers and logs, in the order of the cases; `nil` if it has none.
  static var sdkNumbers: [Int?] { get }
  /// Numbers that the SDK also reads but does not write.
  static var sdkAliases: [Int: Self] { get }
  /// The words that Android devices write instead of numbers, in lower case.
  static var sdkWords: [String: Self] { get }
  /// All cases, the most restrictive last.
  static var fromLenientToStrict: [Self] { get }
}

extension GraphEnum {
  package static var sdkAliases: [Int: Self] { [:] }
  package static var sdkNumbers: [Int?] { graphNumbers }
  package static var sdkWords: [String: Self] { [:] }
  package static var fromLenientToStrict: [Self] { allCases }

  package var graphNumber: Int? { Self.number(of: self, in: Self.graphNumbers) }
  package var sdkNumber: Int? { Self.number(of: self, in: Self.sdkNumbers) }

  package init?(graphNumber: Int) {
    guard let index = Self.graphNumbers.firstIndex(of: graphNumber) else { return nil }
    self = Self.allCases[index]
  }

  package init?(sdkNumber: Int) {
    if let index = Self.sdkNumbers.firstIndex(of: sdkNumber) {
      self = Self.allCases[index]
    } else if let value = Self.sdkAliases[sdkNumber] {
      self = value
    } else {
      return nil
    }
  }

  private static func number(of value: Self, in numbers: [Int?]) -> Int? {
    allCases.firstIndex(of: value).flatMap { numbers[$0] }
  }
}

/// Access by words, for a type that is known only at run time.
extension GraphEnum {
  package static var words: [String] { allCases.map(\.rawValue) }

  /// Graph's spelling of a word, which may be in any ASCII case.
  package static func word(_ text: String) -> String? {
    if let value = Self(rawValue: text) { return value.rawValue }
    let key = text.lowercasedASCII
    return words.first { $0.lowercasedASCII == key }
  }

  package static func word(graphNumber: Int) -> String? { Self(graphNumber: graphNumber)?.rawValue }
  package static func word(sdkNumber: Int) -> String? { Self(sdkNumber: sdkNumber)?.rawValue }
  package static func sdkNumber(of word: String) -> Int? { Self(rawValue: word)?.sdkNumber }

  /// The word that restricts more.
  package static func stricter(_ first: String, _ second: String) -> String {
    func rank(_ word: String) -> Int { fromLenientToStrict.firstIndex { $0.rawValue == word } ?? -1 }
    return rank(first) >= rank(second) ? first : second
  }

  /// The words whose bits are set, and whether all bits are known.
  package static func words(sdkBits bits: Int) -> (words: [String], isComplete: Bool) {
    words(bits: bits, sdkNumbers, aliases: sdkAliases.map { ($0.key, $0.value.rawValue) })
  }

  package static func words(graphBits bits: Int) -> (words: [String], isComplete: Bool) {
    words(bits: bits, graphNumbers, aliases: [])
  }

  private static func words(
    bits: Int, _ numbers: [Int?], aliases: [(Int, String)]
  ) -> (words: [String], isComplete: Bool) {
    var rest = bits
    var found: Set<String> = []
    let known = zip(numbers, words).compactMap { number, word in number.map { ($0, word) } }
    for (bit, word) in known + aliases where bits & bit != 0 {
      found.insert(word)
      rest &= ~bit
    }
    return (words.filter(found.contains), rest == 0)
  }
}
