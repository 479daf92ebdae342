import Cryptography
import Support

/// Removes from a message what must not be in the log.
struct LogScrubber: Sendable {
  private let pseudonyms: Pseudonyms
  let values: NamedValues

  /// - Parameter keys: The keys whose values are replaced, as `ValuesToScrubFromLogging` lists them.
  init(pseudonyms: Pseudonyms, keys: [String]) {
    self.pseudonyms = pseudonyms
    values = NamedValues(keys)
  }

  /// The text for verbose lines: everything except the values of the keys.
  func clearText(of message: LogMessage) -> String {
    let text = message.parts.map { part in
      switch part {
      case .plain(let text): text
      case .personal(let value, _): value
      }
    }
    return values.hidden(in: text.joined())
  }

  /// The text without personal data: without marked parts, and without names that the core knows. Values are
  /// searched for before names change the text around them, and again after the parts are joined.
  func text(of message: LogMessage, names: KnownNames) -> String {
    let parts = message.parts.map { part in
      switch part {
      case .plain(let text): names.replaced(in: values.hidden(in: text)) { pseudonyms.name(for: $0) }
      case .personal(let value, let label): pseudonyms.name(for: value, label: label)
      }
    }
    return values.hidden(in: parts.joined())
  }
}

extension LogScrubber {
  /// The same, without mail addresses of people whom the core does not know.
  func line(of message: LogMessage, names: KnownNames) -> String {
    let text = Array(text(of: message, names: names).utf8)
    var result: [UInt8] = []
    var end = 0
    while let sign = text.firstAtSign(from: end) {
      let start = text[end..<sign.lowerBound].lastIndex { !$0.isOfMailbox }.map { $0 + 1 } ?? end
      let rest = text[sign.upperBound...].prefix(while: \.isOfDomain)
      let domain = rest[..<(rest.lastIndex { !$0.isDotOrDash }.map { $0 + 1 } ?? rest.startIndex)]
      guard start < sign.lowerBound, domain.contains(where: \.isLetterByte) else {
        result += text[end..<sign.upperBound]
        end = sign.upperBound
        continue
      }
      let address = String(decoding: text[start..<sign.lowerBound] + [UInt8(ascii: "@")] + domain, as: UTF8.self)
      result += text[end..<start] + Array(pseudonyms.name(for: address).utf8)
      end = domain.endIndex
    }
    return String(decoding: result + text[end...], as: UTF8.self)
  }
}

extension [UInt8] {
  /// The sign of a mail address, also as a web address writes it.
  fileprivate func firstAtSign(from start: Int) -> Range<Int>? {
    self[start...].indices.lazy.compactMap { index in
      if self[index] == UInt8(ascii: "@") { return index..<index + 1 }
      return self[index...].starts(with: "%40".utf8) ? index..<index + 3 : nil
    }.first
  }
}

extension UInt8 {
  /// Whether the byte belongs to an ASCII letter, or to any character beyond ASCII.
  fileprivate var isLetterByte: Bool { self >= 0x80 || isLetter }

  fileprivate var isDotOrDash: Bool { self == UInt8(ascii: ".") || self == UInt8(ascii: "-") }

  fileprivate var isOfDomain: Bool { isLetterByte || isDigit || isDotOrDash }

  fileprivate var isOfMailbox: Bool { isOfDomain || self == UInt8(ascii: "_") || self == UInt8(ascii: "+") }
}

/// Names that replace personal data: equal for equal texts, and meaningless without the salt.
struct Pseudonyms: Sendable {
  private let salt: [UInt8]

  /// `salt` is 16 random bytes.
  init(salt: [UInt8]) {
    self.salt = salt
  }

  /// For example `<user:3fa1c2d4>`. ASCII case does not matter. "No user" is shown as `<user:none>`.
  func name(for value: String, label: String = "user") -> String {
    guard !value.isEmpty else { return "<\(label):none>" }
    // If there is no memory for the hash, all names are equal.
    let hash = (try? HMACSHA256.authenticate(Array(value.lowercasedASCII.utf8), key: salt)) ?? [0, 0, 0, 0]
    return "<\(label):" + Hex.encode(hash.prefix(4)) + ">"
  }
}
