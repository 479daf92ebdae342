import Model
import Support

/// Replaces personal data and secrets that it finds by pattern, as `SecretRules` lists them. Prefers to hide too much.
/// Takes time in proportion to the length of the text.
struct SecretPatterns: Sendable {
  private let pseudonyms: Pseudonyms
  private let identifiers: Set<String>

  /// `identifiers` look like the ids of people but are not.
  init(pseudonyms: Pseudonyms, identifiers: Set<String>) {
    self.pseudonyms = pseudonyms
    self.identifiers = Set(identifiers.map(\.lowercasedASCII))
  }

  /// - Parameter isVersion: Whether the text is known to be a version, which may look like an address.
  func scrubbed(_ text: String, isVersion: Bool = false) -> String {
    var pieces = SecretText(text, isVersion: isVersion)
    var result: [UInt8] = []
    var next = Announced.nothing
    while let piece = pieces.next() {
      switch piece {
      case .gap(let gap):
        guard let quote = Self.openingQuote(in: gap, next) else {
          result += gap
          continue
        }
        let end = ValuePlace.endOfQuoted(openedAt: quote, in: pieces.bytes)
        result += gap[...quote] + (end > quote + 1 ? Self.stars : [])
        pieces.skip(to: end)
        next = .nothing
      case .word(let word): result += scrubbed(word, in: pieces.bytes, &next)
      case .shape(let kind, let bytes):
        let isHidden = next != .nothing
        if next != .allSecret { next = .nothing }
        result += isHidden ? Self.stars : replacement(of: bytes, kind)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// What the preceding words say about the next word: nothing; it is a secret if it has a digit; it is a secret; all
  /// that follows is secret.
  private enum Announced { case nothing, secretNumber, secret, allSecret }

  /// The opening quote of a quoted secret.
  private static func openingQuote(in gap: ArraySlice<UInt8>, _ next: Announced) -> Int? {
    guard next == .secret || next == .secretNumber && gap.first == UInt8(ascii: " ") else { return nil }
    return gap.firstIndex { "\"'`".utf8.contains($0) }
  }

  /// Goes through `name=value`, `name:value` and web addresses, one name after another.
  private func scrubbed(_ word: ArraySlice<UInt8>, in text: [UInt8], _ next: inout Announced) -> [UInt8] {
    var (rest, result) = (word, [UInt8]())
    while let first = rest.first, next != .allSecret {
      guard !Self.signs.contains(first) else {
        if next == .secretNumber { next = .secret }
        result.append(first)
        rest = rest.dropFirst()
        continue
      }
      guard next != .secret, !rest.isPath, let sign = rest.firstIndex(where: Self.signs.contains) else {
        return result + scrubbed(last: rest, in: text, &next)
      }
      next = .nothing
      let (name, value) = (rest[..<sign], rest[(sign + 1)...])
      if let start = SecretWords.valueStart(in: name) { return result + rest[..<start] + Self.stars }
      let lowercased = name.lowercased
      result += (Self.webSchemes.contains(lowercased) ? Array(name) : replaced(name)) + [rest[sign]]
      if SecretRules.names.contains(where: { $0.find(name, text) }) {
        next = lowercased.hasSuffix("cookie") ? .allSecret : value.isEmpty ? .secret : .nothing
        return result + (value.isEmpty ? [] : Self.stars)
      }
      if value.starts(with: "//".utf8) {
        return result + (lowercased == "file" ? replacement(of: value, .path) : parts(ofAddress: value, in: text))
      }
      rest = value
    }
    return result + (rest.isEmpty ? [] : Self.stars)
  }

  /// Handles a word without a name before it, or the value of the last name.
  private func scrubbed(last word: ArraySlice<UInt8>, in text: [UInt8], _ next: inout Announced) -> [UInt8] {
    let announced = next
    if announced != .nothing, word.allSatisfy({ $0 == UInt8(ascii: "\\") }) { return Array(word) }
    if announced == .secretNumber, SecretWords.isLink(word) { return Array(word) }
    let hasNumber = !word.isPath && !word.isOpaque && word.contains(where: \.isDigit)
    let isScheme = Self.credentialSchemes.contains(word.lowercased)
    next = .nothing
    if announced == .secret || announced == .secretNumber && hasNumber {
      next = isScheme ? .secret : .nothing
      return Self.stars
    }
    if let start = SecretWords.valueStart(in: word) { return Array(word[..<start]) + Self.stars }
    if SecretWords.isSecret(text, withWideSignAtEndOf: word) { next = .secret }
    if SecretWords.isSecret(text, endingAt: word.endOfName) { next = isScheme ? .secret : .secretNumber }
    return replaced(word)
  }

  /// Handles each part of a web address separately, so that its host stays readable.
  private func parts(ofAddress address: ArraySlice<UInt8>, in text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    for part in address.split(omittingEmptySubsequences: false, whereSeparator: { "/?&#".utf8.contains($0) }) {
      result += scrubbed(partOfAddress: part, in: text)
      if part.endIndex < address.endIndex { result.append(address[part.endIndex]) }
    }
    return result
  }

  private func scrubbed(partOfAddress part: ArraySlice<UInt8>, in text: [UInt8]) -> [UInt8] {
    if part.contains(UInt8(ascii: "@")) { return replacement(of: part, .person) }
    if let sign = part.firstIndex(of: UInt8(ascii: "=")), sign + 1 < part.endIndex {
      let isNested = part[(sign + 1)...].lowercased.includes("%3d")
      if isNested || SecretWords.isParameter(text, endingAt: sign) {
        return replaced(part[..<sign]) + [part[sign]] + Self.stars
      }
    }
    var next = Announced.nothing
    return part.isEmpty ? [] : scrubbed(part, in: text, &next)
  }

  private func replaced(_ word: ArraySlice<UInt8>) -> [UInt8] {
    let isKept = identifiers.contains(word.lowercased) && !word.isMailAddress && !word.isPath
    return isKept ? Array(word) : replaced(word, by: SecretRules.parts[...])
  }

  /// Replaces what the first rule finds, then what the next finds in the rest.
  private func replaced(_ word: ArraySlice<UInt8>, by rules: ArraySlice<SecretRule<SecretRules.PartFinder>>) -> [UInt8]
  {
    var (rest, rules, result) = (word, rules, [UInt8]())
    while let rule = rules.first {
      if let place = rule.find(rest) {
        result += replaced(rest[..<place.lowerBound], by: rules.dropFirst()) + replacement(of: rest[place], rule.kind)
        rest = rest[place.upperBound...]
      } else {
        rules = rules.dropFirst()
      }
    }
    return result + rest
  }

  private func replacement(of bytes: ArraySlice<UInt8>, _ kind: SecretKind) -> [UInt8] {
    guard let label = kind.label else { return Self.stars }
    return Array(pseudonyms.name(for: String(decoding: bytes, as: UTF8.self), label: label).utf8)
  }

  /// The signs between a name and its value.
  private static let signs = [UInt8(ascii: ":"), UInt8(ascii: "=")]
  private static let webSchemes: Set = ["http", "https"]
  /// A credential follows these without a sign between.
  private static let credentialSchemes: Set = ["bearer", "basic"]
  private static let stars = Array(NamedValues.replacement.utf8)
}

extension ArraySlice<UInt8> {
  fileprivate var lowercased: String { String(decoding: self, as: UTF8.self).lowercasedASCII }
}
