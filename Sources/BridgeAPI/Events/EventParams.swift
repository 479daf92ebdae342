import JSON
import Support

/// What every event carries, and beside it in the same object what this one is about.
package struct EventParams<Body: Record>: Record {
  package var stamp: EventStamp
  package var body: Body

  package init(_ stamp: EventStamp, _ body: Body) {
    self.stamp = stamp
    self.body = body
  }

  package static var fields: EventFields<Body> { EventFields() }
}

/// The place of an event among the others.
package struct EventStamp: Record {
  package var seq: Int64
  package var time: Timestamp

  package init(seq: Int64, time: Timestamp) {
    self.seq = seq
    self.time = time
  }

  package static let fields = Fields(
    Self.init(seq:time:), Field("seq", \.seq, "Its number, from 1; the next event has the next number."),
    Field("time", \.time, "When it happened."))
}

/// The members of both parts in one object.
package struct EventFields<Body: Record>: FieldList {
  package typealias Root = EventParams<Body>

  package func decode(members node: JSONNode, ignoring reserved: String?) throws(JSONDecodingError) -> Root {
    guard let object = node.value.objectValue else { throw .wrongType(expected: "an object", node) }
    let members = object.members.map { ($0.name, $0.value) }
    let names = Set(EventStamp.fields.names)
    return Root(
      try EventStamp.decode(try Self.node(members.filter { names.contains($0.0) })),
      try Body.decode(try Self.node(members.filter { !names.contains($0.0) && $0.0 != reserved })))
  }

  package func decode(elements node: JSONNode) throws(JSONDecodingError) -> Root {
    guard let elements = node.value.arrayValue else { throw .wrongType(expected: "an array", node) }
    guard elements.count <= names.count else { throw JSONDecodingError(.unknown).inside(String(names.count)) }
    return try decode(members: try Self.node(zip(names, elements).map { ($0, $1) }), ignoring: nil)
  }

  package func decodeNothing() throws(JSONDecodingError) -> Root {
    Root(try EventStamp.fields.decodeNothing(), try Body.fields.decodeNothing())
  }

  package func encode(_ root: Root, to writer: inout JSONWriter) {
    writer.raw(EventText.params(root.stamp, body: root.body.jsonText))
  }

  package func describe(in components: inout SchemaComponents) -> [FieldDescription] {
    EventStamp.fields.describe(in: &components) + Body.fields.describe(in: &components)
  }

  package var names: [String] { EventStamp.fields.names + Body.fields.names }

  private static func node(_ members: [(String, JSONValue)]) throws(JSONDecodingError) -> JSONNode {
    do throws(JSONParseError) {
      return try JSONDocument(parsing: JSONValue.object(JSONObject(members)).jsonText).root
    } catch {
      throw JSONDecodingError(.invalid(error.message))
    }
  }
}

/// The text of an event's params, made without parsing what the store holds of them.
package enum EventText {
  /// `body` is the text of a JSON object without spaces around it.
  package static func params(_ stamp: EventStamp, body: String) -> [UInt8] {
    var bytes = Array(stamp.jsonText.utf8.dropLast())
    let members = body.utf8.dropFirst()
    if members.count > 1 { bytes.append(UInt8(ascii: ",")) }
    bytes.append(contentsOf: members)
    return bytes
  }
}
