import JSON

/// The name of what a connection can have pushed: an event, the lines of the diagnostics log, or telemetry.
package enum PushName: Hashable, Sendable {
  case event(EventName)
  case logLines
  case telemetry

  package init?(_ name: String) {
    switch name {
    case LoggerLog.name: self = .logLines
    case LogAriaEvent.name: self = .telemetry
    default:
      guard let event = EventName(name) else { return nil }
      self = .event(event)
    }
  }

  package init<E: Event>(_ event: E.Type) { self = .event(EventName(event)) }

  package var name: String {
    switch self {
    case .event(let event): event.name
    case .logLines: LoggerLog.name
    case .telemetry: LogAriaEvent.name
    }
  }

  private static let all = API.events.map { $0.name } + [LoggerLog.name, LogAriaEvent.name]
}

extension PushName: FieldValue {
  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> PushName {
    guard let text = node.string else { throw .wrongType(expected: "a string", node) }
    guard let name = PushName(text) else {
      throw JSONDecodingError(.invalid("must be one of " + all.map { "\"\($0)\"" }.joined(separator: ", ")))
    }
    return name
  }

  package func encode(to writer: inout JSONWriter) { writer.string(name) }

  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    components.reference("PushName") { _ in ["type": "string", "enum": .array(all.map(JSONValue.string))] }
  }
}
