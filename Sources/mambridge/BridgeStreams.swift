import Bridge
import JSON
import Model
import Transport

/// The events of a bridge, for listeners that stream them.
struct BridgeEvents: EventStreamSource {
  let bridge: Bridge

  func events(after lastEventID: String?) -> any AsyncSequence<StreamedEvent, Never> & Sendable {
    bridge.events(after: lastEventID).map { entry in
      StreamedEvent(id: entry.id, name: entry.name, data: String(decoding: entry.params, as: UTF8.self))
    }
  }
}

/// The log lines of a bridge, for listeners that stream them.
struct BridgeLog: LogStreamSource {
  let bridge: Bridge
  let levels = LogLevel.allCases.map(\.rawValue)

  func lines(
    from level: String?, after lastEventID: String?
  ) async -> any AsyncSequence<StreamedEvent, Never> & Sendable {
    bridge.log(from: level.flatMap(LogLevel.init(rawValue:)), after: lastEventID).map { entry in
      StreamedEvent(id: entry.id, name: API.logLine, data: entry.line.jsonText)
    }
  }
}
