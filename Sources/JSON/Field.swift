/// One member of a record: its name, how to read it, and what it means.
///
/// A class: copies of a generic struct by the pack loops of `Fields` were a fifth of a small request.
package final class Field<Root, Value: FieldValue>: Sendable {
  package let name: String
  package let summary: String
  let get: @Sendable (Root) -> Value
  /// Nil when the member must be there.
  let fallback: Value?
  /// Whether the document states the fallback: true for a default that was declared, false for an absent optional.
  let statesFallback: Bool

  /// A member that must be there, unless its type says what its absence means.
  package convenience init(_ name: String, _ get: @escaping @Sendable (Root) -> Value, _ summary: String) {
    self.init(name, get, summary, fallback: Value.absent, statesFallback: false)
  }

  /// A member that may be left out and then has this value.
  package convenience init(
    _ name: String, _ get: @escaping @Sendable (Root) -> Value, default fallback: Value, _ summary: String
  ) {
    self.init(name, get, summary, fallback: fallback, statesFallback: true)
  }

  /// A member that must be there even when it may be null.
  package convenience init(required name: String, _ get: @escaping @Sendable (Root) -> Value, _ summary: String) {
    self.init(name, get, summary, fallback: nil, statesFallback: false)
  }

  private init(
    _ name: String, _ get: @escaping @Sendable (Root) -> Value, _ summary: String, fallback: Value?,
    statesFallback: Bool
  ) {
    self.name = name
    self.summary = summary
    self.get = get
    self.fallback = fallback
    self.statesFallback = statesFallback
  }

  func decode(_ node: JSONNode?) throws(JSONDecodingError) -> Value {
    guard let node else {
      guard let fallback else { throw JSONDecodingError(.missing).inside(name) }
      return fallback
    }
    do throws(JSONDecodingError) {
      return try Value.decode(node)
    } catch {
      throw error.inside(name)
    }
  }

  func describe(in components: inout SchemaComponents) -> FieldDescription {
    FieldDescription(
      name: name, summary: summary, isRequired: fallback == nil, schema: Value.schema(in: &components),
      defaultValue: statesFallback ? fallback?.jsonValue : nil, isSecret: Value.isSecret)
  }
}

/// A field as the schema shows it.
package struct FieldDescription: Sendable {
  package let name: String
  package let summary: String
  package let isRequired: Bool
  package let schema: JSONValue
  package let defaultValue: JSONValue?
  package let isSecret: Bool
}
