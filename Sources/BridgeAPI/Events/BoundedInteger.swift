import JSON

/// An integer of which only a range is taken.
package protocol BoundedInteger: FieldValue, ExpressibleByIntegerLiteral, Hashable where IntegerLiteralType == Int64 {
  static var range: ClosedRange<Int64> { get }
  var value: Int64 { get }
  init(known value: Int64)
}

extension BoundedInteger {
  /// Nil outside the range.
  package init?(_ value: Int64) {
    guard Self.range.contains(value) else { return nil }
    self.init(known: value)
  }

  /// One outside the range counts as its nearest end.
  package init(integerLiteral value: Int64) {
    self.init(known: min(max(value, Self.range.lowerBound), Self.range.upperBound))
  }

  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> Self {
    guard let value = Self(try Int64.decode(node)) else {
      throw JSONDecodingError(.invalid("must be from \(range.lowerBound) to \(range.upperBound)"))
    }
    return value
  }

  package func encode(to writer: inout JSONWriter) { writer.integer(value) }

  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    ["type": "integer", "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound)]
  }
}

/// The number of an event; 0 for before the first.
package struct EventNumber: BoundedInteger {
  package static let range: ClosedRange<Int64> = 0...(1 << 53)
  package let value: Int64
  package init(known value: Int64) { self.value = value }
}

/// How many events are returned at most.
package struct EventLimit: BoundedInteger {
  package static let range: ClosedRange<Int64> = 1...1000
  package let value: Int64
  package init(known value: Int64) { self.value = value }
}

/// How long a call waits, in milliseconds.
package struct WaitMilliseconds: BoundedInteger {
  package static let range: ClosedRange<Int64> = 0...600_000
  package let value: Int64
  package init(known value: Int64) { self.value = value }
}
