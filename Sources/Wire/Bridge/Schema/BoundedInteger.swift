import JSON
import Model

/// An integer that is limited to a range.
protocol BoundedInteger: FieldValue, ExpressibleByIntegerLiteral, Hashable where IntegerLiteralType == Int64 {
  static var range: ClosedRange<Int64> { get }
  var value: Int64 { get }
  init(known value: Int64)
}

extension BoundedInteger {
  /// `nil` if `value` is outside the range.
  init?(_ value: Int64) {
    guard Self.range.contains(value) else { return nil }
    self.init(known: value)
  }

  /// Clamps a literal outside the range to its nearest end.
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

/// The number of an event; 0 means before the first event.
struct EventNumber: BoundedInteger {
  static let range: ClosedRange<Int64> = 0...(1 << 53)
  let value: Int64
  init(known value: Int64) { self.value = value }
}

/// The maximum number of events that a call returns.
struct EventLimit: BoundedInteger {
  static let range: ClosedRange<Int64> = 1...1000
  let value: Int64
  init(known value: Int64) { self.value = value }
}

/// How many users of the policy source come before a page.
struct UserPosition: BoundedInteger {
  static let range: ClosedRange<Int64> = 0...(1 << 53)
  let value: Int64
  init(known value: Int64) { self.value = value }
}

/// The maximum number of users that a call returns.
struct UserLimit: BoundedInteger {
  static let range: ClosedRange<Int64> = 1...10_000
  let value: Int64
  init(known value: Int64) { self.value = value }
}

/// The maximum time that a call waits, in milliseconds.
struct WaitMilliseconds: BoundedInteger {
  static let range: ClosedRange<Int64> = 0...600_000
  let value: Int64
  init(known value: Int64) { self.value = value }
}

/// The number of an open file on its connection. A number is never reused.
struct FileHandleNumber: BoundedInteger {
  static let range: ClosedRange<Int64> = 1...(1 << 53)
  let value: Int64
  init(known value: Int64) { self.value = value }
}

/// A position in a file's plaintext, or the length of the plaintext, in bytes.
struct FileOffset: BoundedInteger {
  static let range: ClosedRange<Int64> = 0...(1 << 53)
  let value: Int64
  init(known value: Int64) { self.value = value }
}

/// The number of bytes that one call reads or writes.
struct FileByteCount: BoundedInteger {
  static let range: ClosedRange<Int64> = 0...(16 << 20)
  let value: Int64
  init(known value: Int64) { self.value = value }
}

/// Permission bits as in chmod(2). Octal 0600 is 384.
struct FileMode: BoundedInteger {
  static let range: ClosedRange<Int64> = 0...0o7777
  let value: Int64
  init(known value: Int64) { self.value = value }
}
