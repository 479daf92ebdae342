import JSON
import Model

/// An integer of which only a range is taken.
protocol BoundedInteger: FieldValue, ExpressibleByIntegerLiteral, Hashable where IntegerLiteralType == Int64 {
  static var range: ClosedRange<Int64> { get }
  var value: Int64 { get }
  init(known value: Int64)
}

extension BoundedInteger {
  /// Nil outside the range.
  init?(_ value: Int64) {
    guard Self.range.contains(value) else { return nil }
    self.init(known: value)
  }

  /// One outside the range counts as its nearest end.
  init(integerLiteral value: Int64) {
    self.init(known: min(max(value, Self.range.lowerBound), Self.range.upperBound))
  }

  static func decode(_ node: JSONNode) throws(JSONDecodingError) -> Self {
    guard let value = Self(try Int64.decode(node)) else {
      throw JSONDecodingError(.invalid("must be from \(range.lowerBound) to \(range.upperBound)"))
    }
    return value
  }

  func encode(to writer: inout JSONWriter) { writer.integer(value) }

  static func schema(in components: inout SchemaComponents) -> JSONValue {
    ["type": "integer", "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound)]
  }
}

/// The number of an event; 0 for before the first.
struct EventNumber: BoundedInteger {
  static let range: ClosedRange<Int64> = 0...(1 << 53)
  let value: Int64
  init(known value: Int64) { self.value = value }
}

/// How many events are returned at most.
struct EventLimit: BoundedInteger {
  static let range: ClosedRange<Int64> = 1...1000
  let value: Int64
  init(known value: Int64) { self.value = value }
}

/// How long a call waits, in milliseconds.
struct WaitMilliseconds: BoundedInteger {
  static let range: ClosedRange<Int64> = 0...600_000
  let value: Int64
  init(known value: Int64) { self.value = value }
}

/// Names an open file on its connection; a number is never given twice.
struct FileHandleNumber: BoundedInteger {
  static let range: ClosedRange<Int64> = 1...(1 << 53)
  let value: Int64
  init(known value: Int64) { self.value = value }
}

/// A place in a plain text, or its length, in bytes.
struct FileOffset: BoundedInteger {
  static let range: ClosedRange<Int64> = 0...(1 << 53)
  let value: Int64
  init(known value: Int64) { self.value = value }
}

/// How many bytes one call reads or writes.
struct FileByteCount: BoundedInteger {
  static let range: ClosedRange<Int64> = 0...(16 << 20)
  let value: Int64
  init(known value: Int64) { self.value = value }
}

/// Permission bits as chmod(2) has them; 0600 is 384.
struct FileMode: BoundedInteger {
  static let range: ClosedRange<Int64> = 0...0o7777
  let value: Int64
  init(known value: Int64) { self.value = value }
}
