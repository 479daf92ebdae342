import JSON

/// The name of an event, which is stored and can be read later.
struct EventName: Hashable, Sendable {
  let name: String

  init?(_ name: String) {
    guard Self.all.contains(name) else { return nil }
    self.name = name
  }

  init<E: Event>(_ event: E.Type) { name = E.name }

  init(known name: String) { self.name = name }

  private static let all = API.events.map { $0.name }
}

extension EventName: FieldValue {
  static func decode(_ node: JSONNode) throws(JSONDecodingError) -> EventName {
    guard let text = node.string else { throw .wrongType(expected: "a string", node) }
    guard let name = EventName(text) else {
      throw JSONDecodingError(.invalid("must be one of " + all.map { "\"\($0)\"" }.joined(separator: ", ")))
    }
    return name
  }

  func encode(to writer: inout JSONWriter) { writer.string(name) }

  static func schema(in components: inout SchemaComponents) -> JSONValue {
    components.reference("EventName", to: Self.self) { _ in
      ["type": "string", "enum": .array(all.map(JSONValue.string))]
    }
  }
}

/// The name of something that a connection can subscribe to: an event, the lines of the diagnostics log, or telemetry.
enum PushName: Hashable, Sendable {
  case event(EventName)
  case logLines
  case telemetry

  init?(_ name: String) {
    switch name {
    case LoggerLog.name: self = .logLines
    case LogAriaEvent.name: self = .telemetry
    default:
      guard let event = EventName(name) else { return nil }
      self = .event(event)
    }
  }

  init<E: Event>(_ event: E.Type) { self = .event(EventName(event)) }

  var name: String {
    switch self {
    case .event(let event): event.name
    case .logLines: LoggerLog.name
    case .telemetry: LogAriaEvent.name
    }
  }

  private static let all = API.events.map { $0.name } + [LoggerLog.name, LogAriaEvent.name]
}

extension PushName: FieldValue {
  static func decode(_ node: JSONNode) throws(JSONDecodingError) -> PushName {
    guard let text = node.string else { throw .wrongType(expected: "a string", node) }
    guard let name = PushName(text) else {
      throw JSONDecodingError(.invalid("must be one of " + all.map { "\"\($0)\"" }.joined(separator: ", ")))
    }
    return name
  }

  func encode(to writer: inout JSONWriter) { writer.string(name) }

  static func schema(in components: inout SchemaComponents) -> JSONValue {
    components.reference("PushName", to: Self.self) { _ in
      ["type": "string", "enum": .array(all.map(JSONValue.string))]
    }
  }
}
