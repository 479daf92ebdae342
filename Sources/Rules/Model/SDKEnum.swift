import JSON

/// An enumeration of the Intune App SDK. It is written as its JSON value, and read as that value or as the SDK's
/// integer.
package protocol SDKEnum: RawRepresentable<String>, CaseIterable, Hashable, Sendable where AllCases == [Self] {
  /// The SDK's integers, in the order of the cases.
  static var sdkValues: [Int] { get }
  /// The SDK's own name, such as `IntuneMAMSaveLocation`.
  static var sdkName: String { get }
}

extension SDKEnum {
  /// The SDK's own name without its prefix.
  package static var schemaName: String { String(sdkName.dropFirst("IntuneMAM".count)) }

  package var sdkValue: Int {
    Self.allCases.firstIndex(of: self).map { Self.sdkValues[$0] } ?? 0
  }

  package init?(sdkValue: Int) {
    guard let index = Self.sdkValues.firstIndex(of: sdkValue) else { return nil }
    self = Self.allCases[index]
  }
}

/// Conforms an enumeration of the SDK to `FieldValue`.
package protocol SDKEnumValue: SDKEnum, FieldValue {}

/// Which of several configured values to return; usually `any`.
package protocol ConfigQueryType: SDKEnumValue {
  static var any: Self { get }
}

extension SDKEnumValue {
  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> Self {
    if let text = node.string, let value = Self(rawValue: text) { return value }
    if let integer = node.integer, let value = Int(exactly: integer).flatMap(Self.init(sdkValue:)) { return value }
    guard node.string != nil || node.integer != nil else { throw .wrongType(expected: "a string", node) }
    throw JSONDecodingError(.invalid("must be one of \(words.quoted) or the SDK's integer"))
  }

  package func encode(to writer: inout JSONWriter) { writer.string(rawValue) }

  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    let names = components.reference(schemaName, to: Self.self) { _ in
      words.schema(title: sdkName)
    }
    guard components.describesInput else { return names }
    let numbers = components.reference(schemaName + "Number", to: Self.self) { _ in
      ["type": "integer", "enum": .array(sdkValues.map { .integer(Int64($0)) })]
    }
    return components.reference(schemaName + "Input", to: Self.self) { _ in ["anyOf": [names, numbers]] }
  }
}

/// An enumeration that is written as the name of its case, and that has no integer in the SDK.
package protocol NamedValue: RawRepresentable<String>, CaseIterable, FieldValue where AllCases == [Self] {
  /// The name of its schema among the components; by default that of the type.
  static var schemaName: String { get }
}

extension NamedValue {
  package static var schemaName: String { String(describing: Self.self) }

  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> Self {
    guard let text = node.string else { throw .wrongType(expected: "a string", node) }
    guard let value = Self(rawValue: text) else { throw JSONDecodingError(.invalid("must be one of \(words.quoted)")) }
    return value
  }

  package func encode(to writer: inout JSONWriter) { writer.string(rawValue) }

  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    components.reference(schemaName, to: Self.self) { _ in words.schema() }
  }
}

extension CaseIterable where Self: RawRepresentable<String>, AllCases == [Self] {
  fileprivate static var words: [String] { allCases.map(\.rawValue) }
}

// Not generic: each enumeration would have its own copy.
extension [String] {
  fileprivate var quoted: String { map { "\"\($0)\"" }.joined(separator: ", ") }

  fileprivate func schema(title: String? = nil) -> JSONValue {
    var schema = JSONObject()
    schema["title"] = title.map { .string($0) }
    schema["type"] = "string"
    schema["enum"] = .array(map { .string($0) })
    return .object(schema)
  }
}
