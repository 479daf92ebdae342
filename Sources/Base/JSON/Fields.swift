/// The members of a record in their declared order: one list for decoder, encoder, error paths and schema.
///
/// A class, like `Field`, because every use of the static list would copy a whole struct. Its type does not name the types
/// of the members, so that generic code does not look it up at run time, which took a fifth of the time to a first answer.
package final class Fields<Root: Sendable>: Sendable {
  private let list: any FieldList<Root>

  package init<each Value: FieldValue>(
    _ make: @escaping @Sendable (repeat each Value) -> Root, _ fields: repeat Field<Root, each Value>
  ) {
    list = FieldPack(make, repeat each fields)
  }

  /// Decodes an object. Unknown names are errors, except `reserved`.
  package func decode(members node: JSONNode, ignoring reserved: String?) throws(JSONDecodingError) -> Root {
    guard let count = node.memberCount else { throw .wrongType(expected: "an object", node) }
    var found = 0
    let root: Root
    do throws(JSONDecodingError) {
      root = try decode(membersOf: node, counting: &found)
    } catch {
      throw error.beside(unknown: unknownMember(of: node, reserved))
    }
    if let reserved, node.member(reserved) != nil { found += 1 }
    if found != count { throw JSONDecodingError(.unknown).inside(unknownMember(of: node, reserved) ?? "") }
    return root
  }

  /// Decodes an array, in the declared order.
  package func decode(elements node: JSONNode) throws(JSONDecodingError) -> Root {
    guard let count = node.elementCount else { throw .wrongType(expected: "an array", node) }
    var index = 0
    let root = try decode(elementsOf: node, from: &index)
    if count > index { throw JSONDecodingError(.unknown).inside(String(index)) }
    return root
  }

  /// Decodes some members of an object, and counts them.
  func decode(membersOf node: JSONNode, counting found: inout Int) throws(JSONDecodingError) -> Root {
    try list.decode(membersOf: node, counting: &found)
  }

  /// Decodes the next elements of an array, in the declared order.
  func decode(elementsOf node: JSONNode, from index: inout Int) throws(JSONDecodingError) -> Root {
    try list.decode(elementsOf: node, from: &index)
  }

  /// Decodes from no input at all.
  package func decodeNothing() throws(JSONDecodingError) -> Root { try list.decodeNothing() }

  package func encode(_ root: Root, to writer: inout JSONWriter) {
    writer.beginObject()
    encodeMembers(root, to: &writer)
    writer.endObject()
  }

  /// Writes names and values, without the braces.
  package func encodeMembers(_ root: Root, to writer: inout JSONWriter) { list.encodeMembers(root, to: &writer) }

  package func describe(in components: inout SchemaComponents) -> [FieldDescription] {
    list.describe(in: &components)
  }

  package var names: [String] { list.names }

  /// The names of the members whose values are secret.
  package var secretNames: [String] { list.secretNames }

  /// The first member that no field has.
  private func unknownMember(of node: JSONNode, _ reserved: String?) -> String? {
    let known = Set(names + (reserved.map { [$0] } ?? []))
    return node.memberNames.first { !known.contains($0) }
  }
}

/// What `Fields` needs from its members without naming their types.
private protocol FieldList<Root>: AnyObject, Sendable {
  associatedtype Root: Sendable
  func decode(membersOf node: JSONNode, counting found: inout Int) throws(JSONDecodingError) -> Root
  func decode(elementsOf node: JSONNode, from index: inout Int) throws(JSONDecodingError) -> Root
  func decodeNothing() throws(JSONDecodingError) -> Root
  func encodeMembers(_ root: Root, to writer: inout JSONWriter)
  func describe(in components: inout SchemaComponents) -> [FieldDescription]
  var names: [String] { get }
  var secretNames: [String] { get }
}

private final class FieldPack<Root: Sendable, each Value: FieldValue>: FieldList {
  private let make: @Sendable (repeat each Value) -> Root
  /// A `Field<Root, Value>` for each value. Not a tuple: its type would be looked up at run time in every call, which took
  /// a sixth of the time of a small request.
  private let fields: [any AnyObject & Sendable]

  init(_ make: @escaping @Sendable (repeat each Value) -> Root, _ fields: repeat Field<Root, each Value>) {
    self.make = make
    var list: [any AnyObject & Sendable] = []
    for field in repeat each fields { list.append(field) }
    self.fields = list
  }

  /// The field at `index`, which increases by one. Call it in order for each value.
  private func next<Member>(_ type: Member.Type, _ index: inout Int) -> Field<Root, Member> {
    defer { index += 1 }
    return unsafeDowncast(fields[index], to: Field<Root, Member>.self)
  }

  func decode(membersOf node: JSONNode, counting found: inout Int) throws(JSONDecodingError) -> Root {
    var index = 0
    return make(repeat try next((each Value).self, &index).decode(memberOf: node, counting: &found))
  }

  func decode(elementsOf node: JSONNode, from element: inout Int) throws(JSONDecodingError) -> Root {
    var index = 0
    return make(repeat try next((each Value).self, &index).decode(elementOf: node, at: &element))
  }

  func decodeNothing() throws(JSONDecodingError) -> Root {
    var index = 0
    return make(repeat try next((each Value).self, &index).decodeNothing())
  }

  func encodeMembers(_ root: Root, to writer: inout JSONWriter) {
    var index = 0
    for type in repeat (each Value).self { next(type, &index).encode(root, to: &writer) }
  }

  func describe(in components: inout SchemaComponents) -> [FieldDescription] {
    var descriptions: [FieldDescription] = []
    var index = 0
    for type in repeat (each Value).self { descriptions += next(type, &index).describe(in: &components) }
    return descriptions
  }

  var names: [String] {
    var names: [String] = []
    var index = 0
    for type in repeat (each Value).self { names += next(type, &index).names }
    return names
  }

  var secretNames: [String] {
    var names: [String] = []
    var index = 0
    for type in repeat (each Value).self { names += next(type, &index).secretNames }
    return names
  }
}
