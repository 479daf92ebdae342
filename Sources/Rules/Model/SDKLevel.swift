import JSON

/// The generation of the Intune App SDK that a host was written against. It chooses where generations contradict each
/// other; whatever is merely new is there at every level.
package enum SDKLevel: Int, CaseIterable, Comparable, Sendable {
  /// 19.2.0. The level of a host that does not say its level.
  case sdk19 = 19
  /// 21.7.1.
  case sdk21 = 21

  package static func < (first: SDKLevel, second: SDKLevel) -> Bool { first.rawValue < second.rawValue }

  /// The levels as texts list them: "19 or 21".
  static let list = allCases.map { String($0.rawValue) }.joined(separator: " or ")

  /// `nil` if the number is not the number of a level.
  package init?(_ value: JSONValue) {
    guard let number = value.numberValue, let whole = Int(exactly: number) else { return nil }
    self.init(rawValue: whole)
  }
}

extension SDKLevel: FieldValue {
  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> SDKLevel {
    guard let integer = node.integer else { throw .wrongType(expected: "an integer", node) }
    guard let level = Int(exactly: integer).flatMap(SDKLevel.init(rawValue:)) else {
      throw JSONDecodingError(.invalid("must be \(list)"))
    }
    return level
  }

  package func encode(to writer: inout JSONWriter) { writer.integer(Int64(rawValue)) }

  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    components.reference("SDKLevel", to: Self.self) { _ in
      ["type": "integer", "enum": .array(allCases.map { .integer(Int64($0.rawValue)) })]
    }
  }
}
