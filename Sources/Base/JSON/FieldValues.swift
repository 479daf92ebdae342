extension Bool: FieldValue {
  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> Bool {
    guard let value = node.bool else { throw .wrongType(expected: "true or false", node) }
    return value
  }
  package func encode(to writer: inout JSONWriter) { writer.bool(self) }
  package var jsonValue: JSONValue { .bool(self) }
  package static func schema(in components: inout SchemaComponents) -> JSONValue { ["type": "boolean"] }
}

extension String: FieldValue {
  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> String {
    guard let value = node.string else { throw .wrongType(expected: "a string", node) }
    return value
  }
  package func encode(to writer: inout JSONWriter) { writer.string(self) }
  package static func schema(in components: inout SchemaComponents) -> JSONValue { ["type": "string"] }
}

extension Int64: FieldValue {
  /// Also accepts a number without a fraction, within the range in which a double is exact (2^53).
  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> Int64 {
    if let value = node.integer { return value }
    guard let real = node.real else { throw .wrongType(expected: "an integer", node) }
    guard real.magnitude <= 0x1p53, let value = Int64(exactly: real) else {
      throw JSONDecodingError(.invalid("must be an integer within 2^53"))
    }
    return value
  }
  package func encode(to writer: inout JSONWriter) { writer.integer(self) }
  package static func schema(in components: inout SchemaComponents) -> JSONValue { ["type": "integer"] }
}

extension Int: FieldValue {
  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> Int {
    Int(try Int64.decode(node))
  }
  package func encode(to writer: inout JSONWriter) { writer.integer(Int64(self)) }
  package static func schema(in components: inout SchemaComponents) -> JSONValue { ["type": "integer"] }
}

extension Double: FieldValue {
  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> Double {
    guard let value = node.real ?? node.integer.map(Double.init) else {
      throw .wrongType(expected: "a number", node)
    }
    return value
  }
  package func encode(to writer: inout JSONWriter) { writer.number(self) }
  package static func schema(in components: inout SchemaComponents) -> JSONValue { ["type": "number"] }
}

extension Optional: JSONEncodable where Wrapped: FieldValue {
  package func encode(to writer: inout JSONWriter) {
    if let self { self.encode(to: &writer) } else { writer.null() }
  }
}

/// Absent and null both mean `nil`; `nil` is written as null.
extension Optional: FieldValue where Wrapped: FieldValue {
  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> Wrapped? {
    node.isNull ? nil : try Wrapped.decode(node)
  }
  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    ["anyOf": [Wrapped.schema(in: &components), ["type": "null"]]]
  }
  package static var absent: Wrapped?? { .some(nil) }
  package static var isSecret: Bool { Wrapped.isSecret }
}

extension Array: JSONEncodable where Element: FieldValue {
  package func encode(to writer: inout JSONWriter) {
    writer.beginArray()
    for element in self { element.encode(to: &writer) }
    writer.endArray()
  }
}

extension Array: FieldValue where Element: FieldValue {
  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> [Element] {
    guard let count = node.elementCount else { throw .wrongType(expected: "an array", node) }
    var elements: [Element] = []
    elements.reserveCapacity(count)
    for index in 0..<count {
      guard let element = node.element(index) else { break }
      do throws(JSONDecodingError) {
        elements.append(try Element.decode(element))
      } catch {
        throw error.inside(String(index))
      }
    }
    return elements
  }
  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    ["type": "array", "items": Element.schema(in: &components)]
  }
}

/// Members are written in name order.
extension Dictionary: JSONEncodable where Key == String, Value: FieldValue {
  /// Sorts the names alone: to sort a dictionary looks types up at run time, which was a tenth of the time to a first
  /// `initialize`.
  package func encode(to writer: inout JSONWriter) {
    var names: [String] = []
    for name in keys { names.append(name) }
    writer.beginObject()
    for name in names.sorted() {
      if let value = self[name] { writer.member(name, value) }
    }
    writer.endObject()
  }
}

extension Dictionary: FieldValue where Key == String, Value: FieldValue {
  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> [String: Value] {
    guard node.memberCount != nil else { throw .wrongType(expected: "an object", node) }
    var members: [String: Value] = [:]
    for name in node.memberNames {
      guard let member = node.member(name) else { continue }
      do throws(JSONDecodingError) {
        members[name] = try Value.decode(member)
      } catch {
        throw error.inside(name)
      }
    }
    return members
  }
  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    ["type": "object", "additionalProperties": Value.schema(in: &components)]
  }
}

extension JSONValue: FieldValue {
  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> JSONValue { node.value }
  package func encode(to writer: inout JSONWriter) {
    switch self {
    case .null: writer.null()
    case .bool(let value): writer.bool(value)
    case .integer(let value): writer.integer(value)
    case .number(let value): writer.number(value)
    case .string(let value): writer.string(value)
    case .array(let elements): elements.encode(to: &writer)
    case .object(let object): object.encode(to: &writer)
    }
  }
  package static func schema(in components: inout SchemaComponents) -> JSONValue { [:] }
}

extension JSONObject: FieldValue {
  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> JSONObject {
    guard let object = node.value.objectValue else { throw .wrongType(expected: "an object", node) }
    return object
  }
  package func encode(to writer: inout JSONWriter) {
    writer.beginObject()
    for member in members { writer.member(member.name, member.value) }
    writer.endObject()
  }
  package static func schema(in components: inout SchemaComponents) -> JSONValue { ["type": "object"] }
}
