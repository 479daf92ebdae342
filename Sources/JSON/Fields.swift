/// The members of a record in their declared order: one list for decoder, encoder, error paths and schema.
///
/// A class, as `Field` is: each use of the static list would copy all of a struct.
package final class Fields<Root: Sendable, each Value: FieldValue>: FieldList {
  private let make: @Sendable (repeat each Value) -> Root
  private let fields: (repeat Field<Root, each Value>)

  package init(
    _ make: @escaping @Sendable (repeat each Value) -> Root, _ fields: repeat Field<Root, each Value>
  ) {
    self.make = make
    self.fields = (repeat each fields)
  }

  package func decode(members node: JSONNode, ignoring reserved: String?) throws(JSONDecodingError) -> Root {
    guard let count = node.memberCount else { throw .wrongType(expected: "an object", node) }
    var found = 0
    let root = make(repeat try (each fields).decode(node.lookUp((each fields).name, counting: &found)))
    if let reserved, node.member(reserved) != nil { found += 1 }
    if found != count { throw unknownMember(of: node, reserved) }
    return root
  }

  package func decode(elements node: JSONNode) throws(JSONDecodingError) -> Root {
    guard let count = node.elementCount else { throw .wrongType(expected: "an array", node) }
    var index = 0
    let root = make(repeat try (each fields).decode(node.take(&index)))
    if count > index { throw JSONDecodingError(.unknown).inside(String(index)) }
    return root
  }

  package func decodeNothing() throws(JSONDecodingError) -> Root {
    make(repeat try (each fields).decode(nil))
  }

  package func encode(_ root: Root, to writer: inout JSONWriter) {
    writer.beginObject()
    for field in repeat each fields {
      writer.name(field.name)
      field.get(root).encode(to: &writer)
    }
    writer.endObject()
  }

  package func describe(in components: inout SchemaComponents) -> [FieldDescription] {
    var descriptions: [FieldDescription] = []
    for field in repeat each fields { descriptions.append(field.describe(in: &components)) }
    return descriptions
  }

  package var names: [String] {
    var names: [String] = []
    for field in repeat each fields { names.append(field.name) }
    return names
  }

  private func unknownMember(of node: JSONNode, _ reserved: String?) -> JSONDecodingError {
    let known = Set(names + (reserved.map { [$0] } ?? []))
    return JSONDecodingError(.unknown).inside(node.memberNames.first { !known.contains($0) } ?? "")
  }
}

/// What a record needs of its fields without naming their types.
package protocol FieldList<Root>: Sendable {
  associatedtype Root: Sendable
  /// From an object. Unknown names are errors, except `reserved`.
  func decode(members node: JSONNode, ignoring reserved: String?) throws(JSONDecodingError) -> Root
  /// From an array, in the declared order.
  func decode(elements node: JSONNode) throws(JSONDecodingError) -> Root
  /// From nothing at all.
  func decodeNothing() throws(JSONDecodingError) -> Root
  func encode(_ root: Root, to writer: inout JSONWriter)
  func describe(in components: inout SchemaComponents) -> [FieldDescription]
  var names: [String] { get }
}

extension JSONNode {
  fileprivate func lookUp(_ name: String, counting found: inout Int) -> JSONNode? {
    let node = member(name)
    if node != nil { found += 1 }
    return node
  }

  fileprivate func take(_ index: inout Int) -> JSONNode? {
    defer { index += 1 }
    return element(index)
  }
}
