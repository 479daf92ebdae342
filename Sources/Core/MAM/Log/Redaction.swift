import CGlibc
import Cryptography
import Glibc
import Model
import Support

/// A text, and the text that replaces it.
struct Redaction: Sendable {
  private let needle: [UInt8]
  fileprivate let replacement: [UInt8]
  private let wholeWordsOnly: Bool

  /// A user principal name may be any text, even a single letter. A name without @ is replaced only as a whole word.
  init(identity: String, pseudonym: String) {
    needle = Array(identity.lowercasedASCII.utf8)
    replacement = Array(pseudonym.utf8)
    wholeWordsOnly = !identity.contains("@") && !identity.isGUID
  }

  var length: Int { needle.count }

  /// Returns where the text occurs in `text`, from left to right, without overlaps.
  fileprivate func places(in text: ArraySlice<UInt8>) -> [Range<Int>] {
    guard text.count >= needle.count else { return [] }
    let haystack = text.map(\.lowercasedLetter)
    var places: [Range<Int>] = []
    var start = 0
    while let found = haystack.firstIndex(of: needle, from: start) {
      let place = found..<found + needle.count
      let isMatch = !wholeWordsOnly || haystack.isWord(place)
      if isMatch { places.append(place.shifted(by: text.startIndex)) }
      start = isMatch ? place.upperBound : found + 1
    }
    return places
  }
}

extension ArraySlice<Redaction> {
  func applied(to text: String) -> String {
    isEmpty ? text : String(decoding: applied(to: Array(text.utf8)[...]), as: UTF8.self)
  }

  /// Text that one redaction has written is not searched by the next.
  private func applied(to text: ArraySlice<UInt8>) -> [UInt8] {
    guard let redaction = first else { return Array(text) }
    var result: [UInt8] = []
    var start = text.startIndex
    for place in redaction.places(in: text) {
      result += dropFirst().applied(to: text[start..<place.lowerBound]) + redaction.replacement
      start = place.upperBound
    }
    return result + dropFirst().applied(to: text[start...])
  }
}

extension [UInt8] {
  fileprivate func firstIndex(of needle: [UInt8], from start: Int) -> Int? {
    withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, start < count,
        let found = cglibc_find(base + start, count - start, needle, needle.count)
      else { return nil }
      return found - base
    }
  }

  /// Whether no letter or digit is directly before or after the range.
  fileprivate func isWord(_ place: Range<Int>) -> Bool {
    let startsThere = place.lowerBound == 0 || !self[place.lowerBound - 1].isWordByte
    return startsThere && (place.upperBound == count || !self[place.upperBound].isWordByte)
  }
}

extension Range<Int> {
  fileprivate func shifted(by distance: Int) -> Range<Int> { lowerBound + distance..<upperBound + distance }
}

extension UInt8 {
  fileprivate var lowercasedLetter: UInt8 { self &- UInt8(ascii: "A") < 26 ? self | 0x20 : self }

  /// Whether the byte belongs to an ASCII letter or digit, or to any character beyond ASCII.
  fileprivate var isWordByte: Bool {
    self >= 0x80 || self &- UInt8(ascii: "0") < 10 || (self | 0x20) &- UInt8(ascii: "a") < 26
  }
}

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

  /// The text without personal data: without marked parts, and without identities that the core knows. Values are
  /// searched for before names change the text around them, and again after the parts are joined.
  func text(of message: LogMessage, identities: [String]) -> String {
    let redactions = identities.filter { !$0.isEmpty }.map(redaction).longestFirst
    let parts = message.parts.map { part in
      switch part {
      case .plain(let text): redactions[...].applied(to: values.hidden(in: text))
      case .personal(let value, let label): pseudonyms.name(for: value, label: label)
      }
    }
    return values.hidden(in: parts.joined())
  }

  private func redaction(of identity: String) -> Redaction {
    Redaction(identity: identity, pseudonym: pseudonyms.name(for: identity))
  }
}

extension [Redaction] {
  fileprivate var longestFirst: [Redaction] { sorted { $0.length > $1.length } }
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
