import JSON

/// Events in order of their numbers, and where to continue.
struct EventList: Record {
  var stream: String
  var events: [EventEntry]
  var next: Int64
  var gap: EventGap?
  static let fields = Fields(
    Self.init, Field("stream", \.stream, "The UUID of the store that numbers the events."),
    Field("events", \.events, "The events, oldest first."),
    Field("next", \.next, "The value of `after` for the next call, together with this `stream`."),
    Field("gap", \.gap, "Events that can no longer be returned; null if there are none."))
}

/// An event as `events.list` returns it: the name and params of its notification.
struct EventEntry: Record {
  var type: EventName
  var params: EventParamsText
  static let fields = Fields(
    Self.init, Field("type", \.type, "The name of the notification."),
    Field("params", \.params, "The params of the notification; x-events describes them."))
}

/// The params of an event, as the text of a JSON object.
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

/// The numbers of events that a reader does not get.
struct EventGap: Record, Hashable {
  var after: Int64
  var to: Int64
  var from: Int64
  static let fields = Fields(
    Self.init, Field("after", \.after, "The number of the last event before the gap; 0 if there is none."),
    Field("to", \.to, "The number of the last missing event."),
    Field(deprecated: "from", \.from, "The number of the first missing event."))
}

extension EventGap {
  /// Not below 0, which is the only number of a gap in a store without events.
  init(_ missing: ClosedRange<Int64>) {
    self.init(after: max(0, missing.lowerBound - 1), to: missing.upperBound, from: missing.lowerBound)
  }
}
