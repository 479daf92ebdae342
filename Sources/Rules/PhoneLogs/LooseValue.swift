import JSON
import Support

/// Reads values as phones, debuggers and people write them: JSON, old-style property lists (`{ key = value; }`),
/// Android's `[key = value, list = [a, b]]` and Swift's `AnyHashable("key"): value`, whole or cut. Words without quotes
/// become strings, and `<null>`, `(null)` and `nil` null.
struct LooseValue {
  private let bytes: [UInt8]
  private var place: Int
  private var depth = 0
  private static let deepest = 32
  /// Dumps have about a hundred.
  private static let mostMembers = 2_000

  /// Reads the value that begins at a bracket.
  static func read(_ bytes: [UInt8], at place: Int = 0) -> JSONValue? {
    var reader = LooseValue(bytes: bytes, place: place)
    return reader.value()
  }

  private init(bytes: [UInt8], place: Int) {
    (self.bytes, self.place) = (bytes, place)
  }

  private var next: UInt8? { place < bytes.endIndex ? bytes[place] : nil }

  private func isNext(_ signs: String) -> Bool { next.map { signs.utf8.contains($0) } ?? false }

  private mutating func skip(_ signs: String = "") {
    while let byte = next, byte.isWhitespace || signs.utf8.contains(byte) { place += 1 }
  }

  private mutating func value() -> JSONValue? {
    skip()
    guard let byte = next, depth < Self.deepest else { return nil }
    switch byte {
    case UInt8(ascii: "{"): return container(closing: "}", separators: "=:")
    case UInt8(ascii: "["): return container(closing: "]", separators: "=:")
    case UInt8(ascii: "("):
      if bytes[place...].starts(with: "(null)".utf8) {
        place += 6
        return .null
      }
      return container(closing: ")", separators: "")
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): return .string(quoted())
    case UInt8(ascii: "<"): return angled()
    default: return bare()
    }
  }

  /// Members if the first element has a separator after it, else elements. A missing end is the end of the input.
  private mutating func container(closing: String, separators: String) -> JSONValue? {
    let isObject = isNext("{")
    place += 1
    depth += 1
    defer { depth -= 1 }
    var object = JSONObject(), elements: [JSONValue] = []
    while true {
      skip(",;")
      guard let byte = next, !closing.utf8.contains(byte) else { break }
      let start = place
      let isQuoted = isNext("\"\\")
      guard let first = isObject && !isQuoted ? name() : value() else { break }
      skip()
      let isMember =
        isNext("=") && separators.utf8.contains(UInt8(ascii: "="))
        || isNext(":") && separators.utf8.contains(UInt8(ascii: ":"))
      if isMember, let name = first.stringValue {
        place += 1
        let value = value() ?? .null
        if object.members.count < Self.mostMembers { object[name] = value }
      } else {
        elements.append(first)
      }
      if place == start { place += 1 }
    }
    if next != nil { place += 1 }
    // A cut object ends in a name without a value.
    let hasMembers = !object.members.isEmpty
    return isObject && (hasMembers || elements.isEmpty) || elements.isEmpty && hasMembers
      ? .object(object) : .array(elements)
  }

  /// A name without quotes, or in `AnyHashable("…")`.
  private mutating func name() -> JSONValue? {
    let start = place
    while let byte = next, !"=:;,{}()[]\"\n".utf8.contains(byte) { place += 1 }
    if isNext("(") { return wrapped() }
    return place == start ? nil : .string(text(start..<place))
  }

  private mutating func bare() -> JSONValue? {
    let start = place
    while let byte = next, !",;{}()[]\n\"=".utf8.contains(byte) { place += 1 }
    if isNext("(") { return wrapped() }
    let word = text(start..<place)
    if word.isEmpty { place = max(place, start) }
    return ["null", "nil"].contains(word) ? .null : .string(word)
  }

  /// `AnyHashable(value)` and `Optional(value)`.
  private mutating func wrapped() -> JSONValue? {
    place += 1
    depth += 1
    defer { depth -= 1 }
    let inside = value()
    skip()
    if isNext(")") { place += 1 }
    return inside
  }

  /// `<null>`, and what stands for something that has no text.
  private mutating func angled() -> JSONValue {
    let start = place
    while let byte = next, byte != UInt8(ascii: ">"), byte != UInt8(ascii: "\n") { place += 1 }
    if next != nil { place += 1 }
    let word = text(start..<place)
    return word == "<null>" ? .null : .string(word)
  }

  /// A text in quotes, which may be escaped themselves if the whole is a text of another one.
  private mutating func quoted() -> String {
    let isEscaped = isNext("\\")
    if isEscaped { place += 1 }
    guard isNext("\"") else { return "" }
    place += 1
    var result: [UInt8] = []
    while let byte = next {
      place += 1
      if byte == UInt8(ascii: "\"") { break }
      guard byte == UInt8(ascii: "\\"), let escaped = next else {
        result.append(byte)
        continue
      }
      if isEscaped, escaped == UInt8(ascii: "\"") {
        place += 1
        break
      }
      place += 1
      appendEscaped(escaped, to: &result)
    }
    return String(decoding: result, as: UTF8.self)
  }

  private mutating func appendEscaped(_ byte: UInt8, to result: inout [UInt8]) {
    switch byte {
    case UInt8(ascii: "n"): result.append(0x0A)
    case UInt8(ascii: "t"): result.append(0x09)
    case UInt8(ascii: "u"), UInt8(ascii: "U"):
      let digits = bytes[place..<min(place + 4, bytes.endIndex)]
      guard digits.count == 4, let number = UInt32(String(decoding: digits, as: UTF8.self), radix: 16),
        let scalar = Unicode.Scalar(number)
      else { return result.append(byte) }
      result += Array(String(Character(scalar)).utf8)
      place += 4
    default: result.append(byte)
    }
  }

  private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self).trimmedASCII }
}
