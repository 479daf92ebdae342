import Bridge
import JSON
import JSONRPC
import Model
import Support
import Transport

extension Bridge {
  /// Serves this bridge to those who know the token. Its answers, document, events and log; no page.
  func socketService(
    limits: SessionLimits = SessionLimits(), isToken: @escaping @Sendable (UnsafeBufferPointer<UInt8>) -> Bool
  ) -> SocketService {
    var service = SocketService(limits: limits, isToken: isToken) { self.connect(admission: $0) }
    service.document = { self.documentText }
    service.largeBodyHint = API.largeMessageHint
    service.events = BridgeEvents(bridge: self)
    service.log = BridgeLog(bridge: self)
    service.report = { printError("mambridge: \($0)") }
    return service
  }
}

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
