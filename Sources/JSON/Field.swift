/// One member of a record: its name, how to read it, and what it means. Or a group of members: those of another record,
/// which are in the same object.
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
  /// The members of a group; nil for a single member.
  let group: (any FieldList<Value>)?

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

  /// The members of another record, in their order.
  package convenience init(group get: @escaping @Sendable (Root) -> Value, _ members: some FieldList<Value>) {
    self.init("", get, "", fallback: nil, statesFallback: false, group: members)
  }

  private init(
    _ name: String, _ get: @escaping @Sendable (Root) -> Value, _ summary: String, fallback: Value?,
    statesFallback: Bool, group: (any FieldList<Value>)? = nil
  ) {
    self.name = name
    self.summary = summary
    self.get = get
    self.fallback = fallback
    self.statesFallback = statesFallback
    self.group = group
  }

  func decode(memberOf node: JSONNode, counting found: inout Int) throws(JSONDecodingError) -> Value {
    if let group { return try group.decode(membersOf: node, counting: &found) }
    guard let member = node.member(name) else { return try absent() }
    found += 1
    return try decode(member)
  }

  func decode(elementOf node: JSONNode, at index: inout Int) throws(JSONDecodingError) -> Value {
    if let group { return try group.decode(elementsOf: node, from: &index) }
    defer { index += 1 }
    guard let element = node.element(index) else { return try absent() }
    return try decode(element)
  }

  func decodeNothing() throws(JSONDecodingError) -> Value {
    if let group { return try group.decodeNothing() }
    return try absent()
  }

  private func decode(_ node: JSONNode) throws(JSONDecodingError) -> Value {
    do throws(JSONDecodingError) {
      return try Value.decode(node)
    } catch {
      throw error.inside(name)
    }
  }

  private func absent() throws(JSONDecodingError) -> Value {
    guard let fallback else { throw JSONDecodingError(.missing).inside(name) }
    return fallback
  }

  func encode(_ root: Root, to writer: inout JSONWriter) {
    if let group { return group.encodeMembers(get(root), to: &writer) }
    writer.name(name)
    get(root).encode(to: &writer)
  }

  func describe(in components: inout SchemaComponents) -> [FieldDescription] {
    if let group { return group.describe(in: &components) }
    return [
      FieldDescription(
        name: name, summary: summary, isRequired: fallback == nil, schema: Value.schema(in: &components),
        defaultValue: statesFallback ? fallback?.jsonValue : nil, isSecret: Value.isSecret)
    ]
  }

  var names: [String] { group?.names ?? [name] }
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
