import Bridge
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
