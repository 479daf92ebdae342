import JSON

/// Events in the order of their numbers, and where to go on.
struct EventList: Record {
  var stream: String
  var events: [EventEntry]
  var next: Int64
  var gap: EventGap?
  static let schemaName: String? = "EventList"
  static let fields = Fields(
    Self.init, Field("stream", \.stream, "Names the store that counts the events, a UUID."),
    Field("events", \.events, "The events, oldest first."),
    Field("next", \.next, "Where to go on: `after` of the next call, with this `stream`."),
    Field("gap", \.gap, "Events that are not returned and cannot be; null when there are none."))
}

/// An event as `events.list` returns it: what the notification of that name carries.
struct EventEntry: Record {
  var type: EventName
  var params: EventParamsText
  static let fields = Fields(
    Self.init, Field("type", \.type, "The name of the notification."),
    Field("params", \.params, "What it carries; x-events describes it."))
}

/// The JSON text of an object.
struct EventParamsText: FieldValue, Hashable {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  static func decode(_ node: JSONNode) throws(JSONDecodingError) -> EventParamsText {
    guard node.memberCount != nil else { throw .wrongType(expected: "an object", node) }
    return EventParamsText(Array(node.value.jsonText.utf8))
  }
  func encode(to writer: inout JSONWriter) { writer.raw(bytes) }
  static func schema(in components: inout SchemaComponents) -> JSONValue { ["type": "object"] }
}

extension EventEntry {
  /// As the store holds it; a type that this version does not know is kept as it is.
  init(type: String, _ stamp: EventStamp, body: String) {
    self.init(type: EventName(known: type), params: EventParamsText(EventText.params(stamp, body: body)))
  }
}

/// Numbers of events that a reader does not get, both ends included.
struct EventGap: Record, Hashable {
  var from: Int64
  var to: Int64
  static let schemaName: String? = "EventGap"
  static let fields = Fields(
    Self.init, Field("from", \.from, "The first number."), Field("to", \.to, "The last number."))
}
