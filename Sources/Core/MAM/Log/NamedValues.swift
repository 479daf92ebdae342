import JSON
import Model
import Support

/// Replaces the values of named keys in a text with `***`: `apiKey=hunter2`, `"apiKey": "hunter2"`,
/// `{"name": "apiKey", "value": "hunter2"}`, and all of these in JSON inside a JSON string.
///
/// Key names are case-sensitive, like the keys of app configuration. A value without quotes ends at a line break, a
/// delimiter or the next `name=`. When in doubt, too much is replaced rather than too little. The time is proportional
/// to the length of the text.
struct NamedValues: Sendable {
  static let replacement = "***"
  private let keys: [[UInt8]]

  /// Ignores empty names.
  init(_ keys: [String]) {
    self.keys = keys.filter { !$0.isEmpty }.map { Array($0.utf8) }
  }

  var isEmpty: Bool { keys.isEmpty }

  func contains(_ key: String) -> Bool { keys.contains(Array(key.utf8)) }

  func hidden(in text: String) -> String {
    guard !isEmpty else { return text }
    let bytes = Array(text.utf8)
    let places = places(in: bytes)
    guard !places.isEmpty else { return text }
    var result: [UInt8] = []
    var end = 0
    for place in places where place.lowerBound >= end && !place.isEmpty {
      result += bytes[end..<place.lowerBound] + Array(Self.replacement.utf8)
      end = place.upperBound
    }
    return String(decoding: result + bytes[end...], as: UTF8.self)
  }

  /// Replaces values in all strings, and the whole value of a named member.
  func hidden(in value: JSONValue) -> JSONValue {
    switch value {
    case .string(let text): .string(hidden(in: text))
    case .array(let elements): .array(elements.map { hidden(in: $0) })
    case .object(let object): .object(hidden(in: object))
    default: value
    }
  }

  func hidden(in object: JSONObject) -> JSONObject {
    JSONObject(
      object.members.map { member in
        (member.name, contains(member.name) ? .string(Self.replacement) : hidden(in: member.value))
      })
  }

  /// The ranges of the values to replace, from left to right.
  private func places(in text: [UInt8]) -> [Range<Int>] {
    var places: [Range<Int>] = []
    var pair = Pair()
    var index = 0
    while index < text.count {
      defer { index += 1 }
      pair.pass(text[index], at: index)
      guard let name = NamePlace(before: index, in: text) else { continue }
      if keys.contains(where: { name.ends(with: $0, in: text) }) {
        let value = ValuePlace(at: name.valueStart, in: text).range
        places.append(value)
        index = max(index, value.upperBound - 1)
      } else if index >= pair.end, name.ends(with: Self.valueMember, in: text) {
        pair.value = ValuePlace(at: name.valueStart, in: text).range
      } else if Self.nameMembers.contains(where: { name.ends(with: $0, in: text) }) {
        pair.isNamed = pair.isNamed || keys.contains { name.isBefore($0, in: text) }
      }
      if let value = pair.take() {
        places.append(value)
        index = max(index, value.upperBound - 1)
      }
    }
    return places.sorted { $0.lowerBound < $1.lowerBound }
  }

  private static let valueMember = Array("value".utf8)
  private static let nameMembers = ["name", "key"].map { Array($0.utf8) }
}

/// The `name` and the `value` members of one object, in either order.
private struct Pair {
  var isNamed = false
  var value: Range<Int>?
  var end: Int { value?.upperBound ?? 0 }

  mutating func pass(_ byte: UInt8, at index: Int) {
    guard byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}"), index >= end else { return }
    self = Pair()
  }

  mutating func take() -> Range<Int>? {
    guard isNamed, let found = value else { return nil }
    value = nil
    return found
  }
}

/// Where a name ends and its value begins, around `=`, `:`, `=>`, `->` or `:=`.
private struct NamePlace {
  private let end: Int
  let valueStart: Int

  /// `nil` if no sign is at `index`.
  init?(before index: Int, in text: [UInt8]) {
    let isArrow = text[index] == UInt8(ascii: ">") && index > 0 && text[index - 1] == UInt8(ascii: "-")
    let isEscaped = text[index] == UInt8(ascii: "%") && text.isEscapedSign(at: index)
    guard isArrow || isEscaped || text[index].isSign else { return nil }
    var end = isArrow ? index - 1 : index
    while end > 0, text[end - 1].isAfterName { end -= 1 }
    var start = isEscaped ? index + 3 : index + 1
    let limit = min(start + 2, text.count)
    while start < limit, text[start].isSign || text[start] == UInt8(ascii: ">") { start += 1 }
    (self.end, valueStart) = (end, start)
  }

  /// Whether `key` is the whole name, or follows a byte that is not part of a name.
  func ends(with key: [UInt8], in text: [UInt8]) -> Bool {
    let start = end - key.count
    guard start >= 0, text[start..<end].elementsEqual(key) else { return false }
    return start == 0 || !text[start - 1].isNameByte
  }

  /// Whether the value is exactly `key`, with or without quotes.
  func isBefore(_ key: [UInt8], in text: [UInt8]) -> Bool {
    let start = text[valueStart...].prefix(16).firstIndex { !$0.isAfterName } ?? text.count
    guard text[start...].starts(with: key) else { return false }
    let end = start + key.count
    return end == text.count || !text[end].isNameByte
  }
}

/// The range of a value: the text between its quotes, a complete JSON array or object, or the text up to a delimiter.
struct ValuePlace {
  let range: Range<Int>

  init(at index: Int, in text: [UInt8]) {
    var start = index
    while start < text.count, text[start] == 0x20 || text[start] == 0x09 { start += 1 }
    var quote = start
    while quote < text.count, text[quote] == UInt8(ascii: "\\") { quote += 1 }
    if quote < text.count, text[quote].isQuote {
      range = quote + 1..<Self.endOfQuoted(openedAt: quote, in: text)
    } else if start < text.count, text[start] == UInt8(ascii: "{") || text[start] == UInt8(ascii: "[") {
      range = start..<Self.endOfComposite(from: start, in: text)
    } else {
      range = start..<Self.endOfPlain(from: start, in: text)
    }
  }

  /// Returns the position before the quote that closes the quote at `open`, which may be escaped itself; the end of the
  /// text if no quote does.
  static func endOfQuoted(openedAt open: Int, in text: [UInt8]) -> Int {
    let depth = text.backslashes(before: open)
    var index = open + 1
    while index < text.count {
      if text[index] == text[open] {
        let count = text.backslashes(before: index, from: open + 1)
        if count % (2 * (depth + 1)) == depth { return index - depth }
      }
      index += 1
    }
    return text.count
  }

  private static func endOfComposite(from start: Int, in text: [UInt8]) -> Int {
    var (index, depth) = (start, 0)
    while index < text.count {
      switch text[index] {
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: "\""): index = endOfQuoted(openedAt: index, in: text) + text.backslashes(before: index)
      default: break
      }
      index += 1
      if depth == 0 { return min(index, text.count) }
    }
    return text.count
  }

  private static func endOfPlain(from start: Int, in text: [UInt8]) -> Int {
    var index = start
    while index < text.count, !isEnd(index, in: text) { index += 1 }
    return index
  }

  private static func isEnd(_ index: Int, in text: [UInt8]) -> Bool {
    let byte = text[index]
    if byte == 0x0A || byte == 0x0D { return true }
    guard byte.isDelimiter || byte == 0x20 || byte == 0x09 else { return false }
    let next = index + 1 < text.count ? text[index + 1] : 0x0A
    if byte.isDelimiter, next <= 0x20 || next.isDelimiter || next.isQuote { return true }
    return text.startsName(at: index + 1)
  }
}

extension [UInt8] {
  /// Whether `name=` or `name:` begins here.
  fileprivate func startsName(at start: Int) -> Bool {
    var index = start
    while index < count, index < start + 64, self[index].isNameByte { index += 1 }
    return index > start && index < count && self[index].isSign
  }

  fileprivate func isEscapedSign(at index: Int) -> Bool {
    guard index + 2 < count, self[index + 1] == UInt8(ascii: "3") else { return false }
    return "DdAa".utf8.contains(self[index + 2])
  }

  fileprivate func backslashes(before index: Int, from start: Int = 0) -> Int {
    var first = index
    while first > start, self[first - 1] == UInt8(ascii: "\\") { first -= 1 }
    return index - first
  }
}

extension UInt8 {
  fileprivate var isSign: Bool { self == UInt8(ascii: "=") || self == UInt8(ascii: ":") }
  fileprivate var isAfterName: Bool { self == 0x20 || self == 0x09 || self == UInt8(ascii: "\\") || isQuote }
  fileprivate var isDelimiter: Bool { ",;&)]}".utf8.contains(self) }
  fileprivate var isQuote: Bool { "\"'`".utf8.contains(self) }

  fileprivate var isNameByte: Bool {
    isAlphanumeric || self == UInt8(ascii: "_")
      || self == UInt8(ascii: "-")
  }
}
