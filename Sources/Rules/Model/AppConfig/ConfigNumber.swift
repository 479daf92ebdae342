import JSON
import Support

/// A configured number: an exact integer of 64 bits, or else a double.
package enum ConfigNumber: Hashable, Sendable {
  case integer(Int64)
  case real(Double)

  /// Reads a number in JSON syntax, with white space around it; `nil` for other text, and for numbers beyond the range
  /// of a double.
  package init?(_ text: String) {
    let text = text.trimmedASCII
    guard let isWhole = text.isWholeJSONNumber else { return nil }
    if isWhole, let value = Int64(text) {
      self = .integer(value)
    } else if let value = Double(text), value.isFinite {
      self = .real(value)
    } else {
      return nil
    }
  }

  package var doubleValue: Double {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    }
  }
}

extension ConfigNumber: Comparable {
  package static func < (left: ConfigNumber, right: ConfigNumber) -> Bool {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): left < right
    case (.integer(let left), .real(let right)): compare(left, right) < 0
    case (.real(let left), .integer(let right)): compare(right, left) > 0
    case (.real(let left), .real(let right)): left < right
    }
  }

  /// Compares exactly where a conversion to a double would round. Below 0 if the integer is less.
  private static func compare(_ whole: Int64, _ real: Double) -> Int {
    if real >= 0x1p63 { return -1 }
    if real < -0x1p63 { return 1 }
    let floor = real.rounded(.down)
    let other = Int64(floor)
    if whole != other { return whole < other ? -1 : 1 }
    return real > floor ? -1 : 0
  }
}

extension ConfigNumber: FieldValue {
  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> ConfigNumber {
    if let value = node.integer { return .integer(value) }
    guard let value = node.real else { throw .wrongType(expected: "a number", node) }
    return .real(value)
  }
  package func encode(to writer: inout JSONWriter) {
    switch self {
    case .integer(let value): writer.integer(value)
    case .real(let value): writer.number(value)
    }
  }
  package static func schema(in components: inout SchemaComponents) -> JSONValue { ["type": "number"] }
}

extension String {
  /// Whether the number has neither fraction nor exponent; `nil` if the text is not a number in JSON syntax.
  fileprivate var isWholeJSONNumber: Bool? {
    var rest = Substring(self).utf8
    rest.skip { $0 == UInt8(ascii: "-") }
    let startsWithZero = rest.first == UInt8(ascii: "0")
    let digits = rest.skipDigits()
    guard digits > 0, !startsWithZero || digits == 1 else { return nil }
    if rest.isEmpty { return true }
    if rest.skip({ $0 == UInt8(ascii: ".") }), rest.skipDigits() == 0 { return nil }
    if rest.skip({ $0 | 0x20 == UInt8(ascii: "e") }) {
      rest.skip { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
      guard rest.skipDigits() > 0 else { return nil }
    }
    return rest.isEmpty ? false : nil
  }
}

extension Substring.UTF8View {
  @discardableResult
  fileprivate mutating func skip(_ isWanted: (UInt8) -> Bool) -> Bool {
    guard let first, isWanted(first) else { return false }
    removeFirst()
    return true
  }

  fileprivate mutating func skipDigits() -> Int {
    var count = 0
    while skip({ $0.isDigit }) { count += 1 }
    return count
  }
}
