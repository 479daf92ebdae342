import Model

/// Finds by its looks what is personal or secret: mail addresses, ids, paths, tokens and keys, and what stands behind a
/// word such as `pin` or `password`. Rather too much than too little.
struct SecretPatterns: Sendable {
  private let pseudonyms: Pseudonyms
  private let identifiers: Set<String>

  init(pseudonyms: Pseudonyms, identifiers: Set<String>) {
    self.pseudonyms = pseudonyms
    self.identifiers = Set(identifiers.map(\.lowercasedASCII))
  }

  func scrubbed(_ text: String) -> String {
    var result: [UInt8] = []
    var context = Context.none
    for piece in SecretText(text) {
      switch piece {
      case .gap(let bytes):
        result += bytes
        if context == .number, bytes.isSpaceAndQuote { context = .secret }
      case .word(let word): result += scrubbed(word, &context)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// What the words before say of the next one: that it may be a secret, and is one with a digit in it; that it is one;
  /// that all from here on is.
  private enum Context { case none, number, secret, rest }

  private func scrubbed(_ word: ArraySlice<UInt8>, _ context: inout Context) -> [UInt8] {
    if context == .rest { return Array("***".utf8) }
    if let first = word.first, Self.signs.contains(first) {
      if context == .number { context = .secret }
      return [first] + (word.count > 1 ? scrubbed(word.dropFirst(), &context) : [])
    }
    let before = context
    if before == .number, Self.isLink(word) { return Array(word) }
    context = .none
    let sign = word.isPath ? nil : word.firstIndex(where: Self.signs.contains)
    let hasNumber = sign == nil && !word.isOpaque && word.contains(where: \.isDigit)
    if before == .secret || before == .number && hasNumber {
      context = Self.isScheme(word) ? .secret : .none
      return Array("***".utf8)
    }
    if let sign { return scrubbed(word, splitAt: sign, &context) }
    if Self.isLabel(word) { context = Self.isScheme(word) ? .secret : .number }
    return replaced(word)
  }

  /// `name=value`, `name:value` and addresses of the web.
  private func scrubbed(_ word: ArraySlice<UInt8>, splitAt sign: Int, _ context: inout Context) -> [UInt8] {
    let (name, value) = (word[..<sign], word[(sign + 1)...])
    let start = Array(name.isWebScheme ? name : replaced(name)[...]) + [word[sign]]
    guard !Self.isLabel(name) else {
      context = Self.isList(name) ? .rest : value.isEmpty ? .secret : .none
      return start + (value.isEmpty ? [] : Array("***".utf8))
    }
    guard value.starts(with: "//".utf8) else { return start + (value.isEmpty ? [] : scrubbed(value, &context)) }
    if String(decoding: name, as: UTF8.self).lowercasedASCII == "file" { return start + pseudonym(value, "path") }
    return start + parts(ofAddress: value)
  }

  /// Each part of an address by itself, so that its host stays legible.
  private func parts(ofAddress address: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    var context = Context.none
    for part in address.split(omittingEmptySubsequences: false, whereSeparator: { "/?&#".utf8.contains($0) }) {
      result += part.isEmpty ? [] : scrubbed(part, &context)
      if part.endIndex < address.endIndex { result.append(address[part.endIndex]) }
    }
    return result
  }

  private func replaced(_ word: ArraySlice<UInt8>) -> [UInt8] {
    if word.contains(UInt8(ascii: "@")) || word.contains("%40".utf8), word.count > 2 { return pseudonym(word, "user") }
    if word.isPath { return pseudonym(word, "path") }
    if identifiers.contains(String(decoding: word, as: UTF8.self).lowercasedASCII) { return Array(word) }
    if let place = word.firstGUID {
      return Array(word[..<place.lowerBound]) + pseudonym(word[place], "user") + replaced(word[place.upperBound...])
    }
    return word.isOpaque ? pseudonym(word, "hidden") : Array(word)
  }

  private func pseudonym(_ bytes: ArraySlice<UInt8>, _ label: String) -> [UInt8] {
    Array(pseudonyms.name(for: String(decoding: bytes, as: UTF8.self), label: label).utf8)
  }
}

extension SecretPatterns {
  /// Between a name and its value.
  private static let signs = [UInt8(ascii: ":"), UInt8(ascii: "=")]
  private static let labels = [
    "pin", "passcode", "password", "passwd", "pwd", "passphrase", "secret", "token", "key", "authorization",
    "credential", "credentials", "cookie",
  ].map { Array($0.utf8) }
  private static let schemes = ["bearer", "basic"].map { Array($0.utf8) }

  /// Whether a value behind this name is a secret: `PIN`, `access_token`, `apiKey`.
  static func isLabel(_ name: some BidirectionalCollection<UInt8>) -> Bool {
    let name = name.map { $0 &- UInt8(ascii: "A") < 26 ? $0 | 0x20 : $0 }
    return labels.contains { name.suffix($0.count).elementsEqual($0) } || schemes.contains(name)
  }

  /// Whether several values stand behind the name.
  private static func isList(_ name: ArraySlice<UInt8>) -> Bool {
    String(decoding: name, as: UTF8.self).lowercasedASCII.hasSuffix("cookie")
  }

  /// Whether it may stand between a label and its value.
  private static func isLink(_ word: ArraySlice<UInt8>) -> Bool {
    ["is", "was"].contains(String(decoding: word, as: UTF8.self).lowercasedASCII)
  }

  /// Whether a credential follows without a sign between.
  private static func isScheme(_ word: ArraySlice<UInt8>) -> Bool {
    schemes.contains(word.map { $0 &- UInt8(ascii: "A") < 26 ? $0 | 0x20 : $0 })
  }
}
