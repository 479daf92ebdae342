import JSON

/// An event as `events.list` returns it: what the notification of that name carries.
package struct EventEntry: Record {
  package var type: EventName
  package var params: EventParamsText

  package init(type: EventName, params: EventParamsText) {
    self.type = type
    self.params = params
  }

  package static let fields = Fields(
    Self.init(type:params:), Field("type", \.type, "The name of the notification."),
    Field("params", \.params, "What it carries; x-events describes it."))
}

/// The JSON text of an object.
package struct EventParamsText: FieldValue, Hashable {
  package let bytes: [UInt8]

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> EventParamsText {
    guard node.memberCount != nil else { throw .wrongType(expected: "an object", node) }
    return EventParamsText(Array(node.value.jsonText.utf8))
  }
  package func encode(to writer: inout JSONWriter) { writer.raw(bytes) }
  package static func schema(in components: inout SchemaComponents) -> JSONValue { ["type": "object"] }
}

/// Events in the order of their numbers, and where to go on.
package struct EventList: Record {
  package var stream: String
  package var events: [EventEntry]
  package var next: Int64
  package var gap: EventGap?

  package init(stream: String, events: [EventEntry], next: Int64, gap: EventGap?) {
    self.stream = stream
    self.events = events
    self.next = next
    self.gap = gap
  }

  package static let schemaName: String? = "EventList"
  package static let fields = Fields(
    Self.init(stream:events:next:gap:), Field("stream", \.stream, "Names the store that counts the events, a UUID."),
    Field("events", \.events, "The events, oldest first."),
    Field("next", \.next, "Where to go on: `after` of the next call, with this `stream`."),
    Field("gap", \.gap, "Events that are not returned and cannot be; null when there are none."))
}
