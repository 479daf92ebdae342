/// One member of a record: its name, how to read it, and what it means. Or a group of members: those of another record
/// in the same object.
///
/// A class, because the pack loops of `Fields` copied generic structs, which took a fifth of the time of a small
/// request.
package final class Field<Root, Value: FieldValue>: Sendable {
  package let name: String
  /// A name that the member had in an earlier release. It is still read.
  package let formerName: String?
  /// Whether the member is only there for hosts that were written against an earlier release.
  package let isDeprecated: Bool
  package let summary: String
  let get: @Sendable (Root) -> Value
  /// Makes the value of an absent member; `nil` if the member is required. A function, because the type `Value?` would be
  /// looked up in every call.
  private let fallback: (@Sendable () -> Value)?
  /// Whether the schema states the fallback: true for a declared default, false for an optional that is absent.
  let statesFallback: Bool
  /// The members of a group; `nil` for a single member.
  let group: Fields<Value>?
  /// How the member is left out; `nil` if it is always written.
  private let omission: Omission<Value>?

  /// A required member, unless its type has a value for absence.
  package convenience init(
    _ name: String, formerly formerName: String? = nil, _ get: @escaping @Sendable (Root) -> Value, _ summary: String
  ) {
    self.init(name, formerly: formerName, get, summary, fallback: Value.absent, statesFallback: false)
  }

  /// A member that is only there for hosts that were written against an earlier release.
  package convenience init(deprecated name: String, _ get: @escaping @Sendable (Root) -> Value, _ summary: String) {
    self.init(name, isDeprecated: true, get, summary, fallback: Value.absent, statesFallback: false)
  }

  /// An optional member with a default.
  package convenience init(
    _ name: String, _ get: @escaping @Sendable (Root) -> Value, default fallback: Value, _ summary: String
  ) {
    self.init(name, get, summary, fallback: fallback, statesFallback: true)
  }

  /// A required member, even if it may be null.
  package convenience init(required name: String, _ get: @escaping @Sendable (Root) -> Value, _ summary: String) {
    self.init(name, get, summary, fallback: nil, statesFallback: false)
  }

  /// A member that is left out of what is written if its value is `nil`. In the schema, it is never null, unless
  /// `orNull`. Reads null like absence.
  package convenience init<Wrapped: FieldValue>(
    omitting name: String, orNull: Bool = false, _ get: @escaping @Sendable (Root) -> Value, _ summary: String
  ) where Value == Wrapped? {
    let omission = Omission<Value>(isAbsent: { $0 == nil }) { components in
      orNull ? Value.schema(in: &components) : Wrapped.schema(in: &components)
    }
    self.init(name, get, summary, fallback: .some(nil), statesFallback: false, omission: omission)
  }

  /// The members of another record, in order.
  package convenience init(group get: @escaping @Sendable (Root) -> Value, _ members: Fields<Value>) {
    self.init("", get, "", fallback: nil, statesFallback: false, group: members)
  }

  private init(
    _ name: String, formerly formerName: String? = nil, isDeprecated: Bool = false,
    _ get: @escaping @Sendable (Root) -> Value, _ summary: String, fallback: Value?, statesFallback: Bool,
    group: Fields<Value>? = nil, omission: Omission<Value>? = nil
  ) {
    self.name = name
    self.formerName = formerName
    self.isDeprecated = isDeprecated
    self.summary = summary
    self.get = get
    if let fallback { self.fallback = { fallback } } else { self.fallback = nil }
    self.statesFallback = statesFallback
    self.group = group
    self.omission = omission
  }

  /// Decodes this member alone, of an object that may have any others.
  package func decode(in node: JSONNode) throws(JSONDecodingError) -> Value {
    var found = 0
    return try decode(memberOf: node, counting: &found)
  }

  func decode(memberOf node: JSONNode, counting found: inout Int) throws(JSONDecodingError) -> Value {
    if let group { return try group.decode(membersOf: node, counting: &found) }
    guard let member = node.member(name) ?? formerName.flatMap({ node.member($0) }) else { return try absent() }
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
    return fallback()
  }

  func encode(_ root: Root, to writer: inout JSONWriter) {
    if let group { return group.encodeMembers(get(root), to: &writer) }
    let value = get(root)
    if let omission, omission.isAbsent(value) { return }
    writer.name(name)
    value.encode(to: &writer)
  }

  func describe(in components: inout SchemaComponents) -> [FieldDescription] {
    if let group { return group.describe(in: &components) }
    return [
      FieldDescription(
        name: name, formerName: formerName, isDeprecated: isDeprecated, summary: summary,
        isRequired: fallback == nil,
        schema: omission?.schema(&components) ?? Value.schema(in: &components),
        defaultValue: statesFallback ? fallback?().jsonValue : nil, isSecret: Value.isSecret)
    ]
  }

  var names: [String] { group?.names ?? [name] }
  var secretNames: [String] { group?.secretNames ?? (Value.isSecret ? [name] : []) }
}

/// How a member is left out of an object.
private struct Omission<Value>: Sendable {
  let isAbsent: @Sendable (Value) -> Bool
  /// The schema of a member that is there.
  let schema: @Sendable (inout SchemaComponents) -> JSONValue
}

/// A field as the schema shows it.
package struct FieldDescription: Sendable {
  package let name: String
  package let formerName: String?
  package let isDeprecated: Bool
  package let summary: String
  package let isRequired: Bool
  package let schema: JSONValue
  package let defaultValue: JSONValue?
  package let isSecret: Bool
}
