import JSON

/// The name of an event that can be asked for.
package struct EventName: Hashable, Sendable {
  package let name: String

  package init?(_ name: String) {
    guard Self.all.contains(name) else { return nil }
    self.name = name
  }

  package init<E: Event>(_ event: E.Type) { name = E.name }

  fileprivate init(known name: String) { self.name = name }

  private static let all = API.events.map { $0.name }
}

extension EventName: FieldValue {
  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> EventName {
    guard let text = node.string else { throw .wrongType(expected: "a string", node) }
    guard let name = EventName(text) else {
      throw JSONDecodingError(.invalid("must be one of " + all.map { "\"\($0)\"" }.joined(separator: ", ")))
    }
    return name
  }

  package func encode(to writer: inout JSONWriter) { writer.string(name) }

  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    components.reference("EventName") { _ in ["type": "string", "enum": .array(all.map(JSONValue.string))] }
  }
}

extension EventEntry {
  /// As the store holds it; a type that this version does not know is kept as it is.
  package init(type: String, _ stamp: EventStamp, body: String) {
    self.init(type: EventName(known: type), params: EventParamsText(EventText.params(stamp, body: body)))
  }
}
