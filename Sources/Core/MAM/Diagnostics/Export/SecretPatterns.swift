import Model
import Support

/// Finds personal data and secrets by pattern: the kinds of `SecretKind`. Prefers to hide too much. Takes time in
/// proportion to the length of the text.
struct SecretPatterns: Sendable {
  private let pseudonyms: Pseudonyms
  private let identifiers: Set<String>

  init(pseudonyms: Pseudonyms, identifiers: Set<String>) {
    self.pseudonyms = pseudonyms
    self.identifiers = Set(identifiers.map(\.lowercasedASCII))
  }

  /// - Parameter isVersion: Whether the text is known to be a version, which may look like an address.
  func scrubbed(_ text: String, isVersion: Bool = false) -> String {
    var pieces = SecretText(text, isVersion: isVersion)
    var result: [UInt8] = []
    var context = Context.none
    while let piece = pieces.next() {
      switch piece {
      case .gap(let gap):
        guard let quote = Self.openingQuote(in: gap, context) else {
          result += gap
          continue
        }
        let end = ValuePlace.endOfQuoted(openedAt: quote, in: pieces.bytes)
        result += gap[...quote] + (end > quote + 1 ? Self.stars : [])
        pieces.skip(to: end)
        context = .none
      case .word(let word): result += scrubbed(word, in: pieces.bytes, &context)
      case .shape(let kind, let bytes):
        let isHidden = context != .none
        if context != .rest { context = .none }
        result += isHidden ? Self.stars : replacement(of: bytes, kind)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// What the preceding words say about the next word: nothing; it is a secret if it has a digit; it is a secret; all
  /// that follows is secret.
  private enum Context { case none, number, secret, rest }

  /// The opening quote of a quoted secret.
  private static func openingQuote(in gap: ArraySlice<UInt8>, _ context: Context) -> Int? {
    guard context == .secret || context == .number && gap.isSpaceAndQuote else { return nil }
    return gap.firstIndex { "\"'`".utf8.contains($0) }
  }

  /// Goes through `name=value`, `name:value` and web addresses, one name after another.
  private func scrubbed(_ word: ArraySlice<UInt8>, in text: [UInt8], _ context: inout Context) -> [UInt8] {
    var (rest, result) = (word, [UInt8]())
    while let first = rest.first, context != .rest {
      guard !Self.signs.contains(first) else {
        if context == .number { context = .secret }
        result.append(first)
        rest = rest.dropFirst()
        continue
      }
      guard context != .secret, !rest.isPath, let sign = rest.firstIndex(where: Self.signs.contains) else {
        return result + scrubbed(last: rest, in: text, &context)
      }
      context = .none
      let (name, value) = (rest[..<sign], rest[(sign + 1)...])
      if let start = SecretWords.valueStart(in: name) { return result + rest[..<start] + Self.stars }
      result += Array(name.isWebScheme ? name : replaced(name)[...]) + [rest[sign]]
      if isSecret(name, in: text) {
        context = Self.isList(name) ? .rest : value.isEmpty ? .secret : .none
        return result + (value.isEmpty ? [] : Self.stars)
      }
      if value.starts(with: "//".utf8) {
        let isFile = String(decoding: name, as: UTF8.self).lowercasedASCII == "file"
        return result + (isFile ? pseudonym(value, .path) : parts(ofAddress: value, in: text))
      }
      rest = value
    }
    return result + (rest.isEmpty ? [] : Self.stars)
  }

  /// Handles a word without a name before it, or the value of the last name.
  private func scrubbed(last word: ArraySlice<UInt8>, in text: [UInt8], _ context: inout Context) -> [UInt8] {
    let before = context
    if before != .none, word.allSatisfy({ $0 == UInt8(ascii: "\\") }) { return Array(word) }
    if before == .number, SecretWords.isLink(word) { return Array(word) }
    let hasNumber = !word.isPath && !word.isOpaque && word.contains(where: \.isDigit)
    context = .none
    if before == .secret || before == .number && hasNumber {
      context = Self.isScheme(word) ? .secret : .none
      return Self.stars
    }
    if let start = SecretWords.valueStart(in: word) { return Array(word[..<start]) + Self.stars }
    if SecretWords.isSecret(text, withWideSignAtEndOf: word) { context = .secret }
    if SecretWords.isSecret(text, endingAt: word.endOfName) { context = Self.isScheme(word) ? .secret : .number }
    return replaced(word)
  }

  /// After `?` or `&`, the name is that of a URL parameter.
  private func isSecret(_ name: ArraySlice<UInt8>, in text: [UInt8]) -> Bool {
    let isParameter = name.contains { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "&") }
    return isParameter
      ? SecretWords.isParameter(text, endingAt: name.endIndex) : SecretWords.isSecret(text, endingAt: name.endOfName)
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
    var context = Context.none
    if part.contains(UInt8(ascii: "@")) { return pseudonym(part, .person) }
    guard let sign = part.firstIndex(of: UInt8(ascii: "=")) else {
      return part.isEmpty ? [] : scrubbed(part, in: text, &context)
    }
    let value = part[(sign + 1)...]
    let isNested = String(decoding: value, as: UTF8.self).lowercasedASCII.includes("%3d")
    guard !value.isEmpty, isNested || SecretWords.isParameter(text, endingAt: sign) else {
      return scrubbed(part, in: text, &context)
    }
    return replaced(part[..<sign]) + [part[sign]] + Self.stars
  }

  private func replaced(_ word: ArraySlice<UInt8>) -> [UInt8] {
    if word.contains(UInt8(ascii: "@")) || word.firstPlace(of: "%40".utf8) != nil, word.count > 2 {
      return pseudonym(word, .person)
    }
    if word.isPath { return pseudonym(word, .path) }
    if identifiers.contains(String(decoding: word, as: UTF8.self).lowercasedASCII) { return Array(word) }
    var (rest, result) = (word, [UInt8]())
    while let place = rest.firstGUID {
      result += replaced(part: rest[..<place.lowerBound]) + pseudonym(rest[place], .identifier)
      rest = rest[place.upperBound...]
    }
    return result + replaced(part: rest)
  }

  /// For a part without object ids.
  private func replaced(part: ArraySlice<UInt8>) -> [UInt8] {
    if part.isPath || part.isRelativePath { return pseudonym(part, .path) }
    return part.isOpaque ? pseudonym(part, .token) : Array(part)
  }

  private func replacement(of bytes: ArraySlice<UInt8>, _ kind: SecretKind) -> [UInt8] {
    kind.label == nil ? Self.stars : pseudonym(bytes, kind)
  }

  private func pseudonym(_ bytes: ArraySlice<UInt8>, _ kind: SecretKind) -> [UInt8] {
    Array(pseudonyms.name(for: String(decoding: bytes, as: UTF8.self), label: kind.label ?? "hidden").utf8)
  }
}

extension SecretPatterns {
  /// The signs between a name and its value.
  private static let signs = [UInt8(ascii: ":"), UInt8(ascii: "=")]
  private static let schemes = ["bearer", "basic"].map { Array($0.utf8) }

  private static let stars = Array(NamedValues.replacement.utf8)

  /// Whether several values follow the name.
  private static func isList(_ name: ArraySlice<UInt8>) -> Bool {
    String(decoding: name, as: UTF8.self).lowercasedASCII.hasSuffix("cookie")
  }

  /// Whether a credential follows without a sign between.
  private static func isScheme(_ word: ArraySlice<UInt8>) -> Bool {
    schemes.contains(word.map { $0.lowercasedLetter })
  }
}

extension ArraySlice<UInt8> {
  /// The end without trailing backslashes, as in escaped JSON.
  fileprivate var endOfName: Int { (lastIndex { $0 != UInt8(ascii: "\\") } ?? startIndex - 1) + 1 }
}

/// The kinds of text that an export replaces. This one table drives the search and the list in the archive's README.
enum SecretKind: String, CaseIterable, Sendable {
  case person, identifier, password, token, urlParameter, oneTimeCode, path
  case phoneNumber, networkAddress, hardwareAddress, iban, cardNumber

  /// The line in the README.
  var summary: String {
    switch self {
    case .person: "names of the accounts and users that mambridge knows, and email addresses"
    case .identifier: "object ids (GUIDs), except those of policies"
    case .password:
      "values after a word such as password, PIN, key or token, in English and other common languages"
    case .token: "tokens, keys and digests: long texts that nobody would type by hand"
    case .urlParameter: "parameters of web addresses, such as sig, token, code or key"
    case .oneTimeCode: "one-time codes of 4 to 8 digits beside a word such as code or OTP"
    case .path: "absolute paths, and relative paths with a file extension, two slashes or a well-known folder"
    case .phoneNumber: "phone numbers in international or common national notation"
    case .networkAddress: "IP addresses, except loopback"
    case .hardwareAddress: "hardware addresses of network cards"
    case .iban: "bank accounts (IBAN with valid check digits)"
    case .cardNumber: "card numbers with a valid check digit"
    }
  }

  /// The label in a pseudonym such as `<user:3fa1c2d4>`; `nil` if `***` hides even which values are equal.
  var label: String? {
    switch self {
    case .person, .identifier: "user"
    case .token: "hidden"
    case .path: "path"
    case .phoneNumber: "phone"
    case .networkAddress, .hardwareAddress: "address"
    case .iban: "account"
    case .cardNumber: "card"
    case .password, .urlParameter, .oneTimeCode: nil
    }
  }

  /// Finds the end of a number or address that begins at `start`; `nil` if none does. Earlier kinds take precedence.
  static let shapes: [(kind: SecretKind, end: @Sendable (_ text: [UInt8], _ start: Int) -> Int?)] = [
    (.networkAddress, NetworkShapes.endOfAddress), (.hardwareAddress, NetworkShapes.endOfHardwareAddress),
    (.iban, NumberShapes.endOfIBAN), (.cardNumber, NumberShapes.endOfCard),
    (.oneTimeCode, NumberShapes.endOfCode), (.phoneNumber, NumberShapes.endOfPhone),
  ]
}
