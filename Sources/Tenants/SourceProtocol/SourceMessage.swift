// SourceProtocol is what mambridge and a policy source say to each other, declared once: docs/sources.md is for those
// who write a source, and schema/source.openrpc.json is made from these declarations.
//
// A message is a type that conforms to `SourceMessage`: its name, what it is for, and its params, a record with fields.
// One that is answered is a `SourceMethod` with a result. `ToSource` has those that mambridge sends, `ToBridge` those
// that a source sends. Encoder, decoder and `SourceDocument` come from the fields.
//
// `SourceHost` is the side of mambridge, `ServiceSource` that of the source which speaks with the tenant service.
// Whoever reads a member of form `AsWritten` checks it: what is wrong in a policy concerns that policy alone.
//
// Nothing here starts a program, or knows an account of the core.

import JSON

/// A message of the protocol.
package protocol SourceMessage: Sendable {
  associatedtype Params: SourceRecord
  static var name: String { get }
  /// What the receiver does, for those who write a source.
  static var summary: String { get }
}

/// A message that is answered.
package protocol SourceMethod: SourceMessage {
  associatedtype Result: FieldValue
}

/// A record of the protocol. A summary that is empty is left out of its schema, and that of a value which may be null
/// stands at the value.
package protocol SourceRecord: OpenRecord {}

extension SourceRecord {
  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    components.reference(schemaName, to: Self.self) { components in
      let fields = fields.describe(in: &components)
      return [
        "type": "object", "properties": .object(JSONObject(fields.map { ($0.name, $0.briefSchema) })),
        "required": .array(fields.filter(\.isRequired).map { .string($0.name) }),
      ]
    }
  }
}

extension FieldDescription {
  /// The schema with the summary, if there is one.
  var briefSchema: JSONValue {
    guard !summary.isEmpty, var object = schema.objectValue else { return schema }
    guard let choices = object["anyOf"]?.arrayValue, var first = choices.first?.objectValue else {
      object["description"] = .string(summary)
      return .object(object)
    }
    first["description"] = .string(summary)
    object["anyOf"] = .array([.object(first)] + choices.dropFirst())
    return .object(object)
  }
}

extension Field {
  /// This member of a value that may be anything; `nil` if it is absent, or not of the declared form.
  package func given(in node: JSONNode) -> Value? { try? decode(in: node) }

  /// Like `given` for any value: null is `nil`, too.
  package func given<Wrapped: FieldValue>(in node: JSONNode) -> Wrapped? where Value == Wrapped? {
    (try? decode(in: node)) ?? nil
  }
}

/// One of some words.
package protocol MessageWord: FieldValue, CaseIterable, RawRepresentable<String> {}

extension MessageWord {
  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> Self {
    guard let value = Self(rawValue: try String.decode(node)) else {
      let names = allCases.map(\.rawValue).joined(separator: ", ")
      throw JSONDecodingError(.invalid("must be one of \(names)"))
    }
    return value
  }

  package func encode(to writer: inout JSONWriter) { writer.string(rawValue) }

  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    ["enum": .array(allCases.map { .string($0.rawValue) })]
  }
}

/// A value of a declared form, as the sender wrote it. Whoever reads it checks it.
package struct AsWritten<Form: FieldValue>: FieldValue, Hashable {
  /// `nil` if the member is absent, which is not null.
  package let value: JSONValue?

  package init(_ value: JSONValue?) { self.value = value }

  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> AsWritten { AsWritten(node.value) }

  package func encode(to writer: inout JSONWriter) { (value ?? .null).encode(to: &writer) }

  package static func schema(in components: inout SchemaComponents) -> JSONValue { Form.schema(in: &components) }

  package static var absent: AsWritten? { AsWritten(nil) }
}

/// A value of a declared form. A value of any other form says nothing.
package struct IfDeclared<Form: FieldValue>: FieldValue {
  /// `nil` if the member is absent, or of another form.
  package let value: Form?

  package init(_ value: Form?) { self.value = value }

  package static func decode(_ node: JSONNode) -> IfDeclared { IfDeclared(try? Form.decode(node)) }

  package func encode(to writer: inout JSONWriter) { value.encode(to: &writer) }

  package static func schema(in components: inout SchemaComponents) -> JSONValue { Form.schema(in: &components) }

  package static var absent: IfDeclared? { IfDeclared(nil) }
}

/// A list of anything.
package struct AnyList: FieldValue, Hashable {
  package var elements: [JSONValue]

  package init(_ elements: [JSONValue] = []) { self.elements = elements }

  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> AnyList {
    AnyList(try [JSONValue].decode(node))
  }

  package func encode(to writer: inout JSONWriter) { elements.encode(to: &writer) }

  package static func schema(in components: inout SchemaComponents) -> JSONValue { ["type": "array"] }
}
