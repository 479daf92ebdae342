import JSONRPC
import NIOCore
import Support

/// The connections of a listener, authenticated or not yet. A connection stays until its work is done, even if its peer
/// is gone.
final class ConnectionRegistry: Sendable {
  private struct Connection: Sendable {
    let channel: any Channel
    /// `nil` if every client may connect.
    let admission: Admission?
  }

  private struct State {
    var connections: [ObjectIdentifier: Connection] = [:]
    var isClosed = false
  }

  private let slots: ConnectionSlots
  private let state = Lock(State())
  /// Signalled whenever a connection ends.
  let departures = EventDescriptor()

  init(slots: ConnectionSlots) {
    self.slots = slots
  }

  /// Throws -32004 if there is no slot for another connection of its kind.
  func add(_ channel: any Channel, _ admission: Admission?) throws(RPCError) {
    if admission == nil {
      try slots.takeKnown()
    } else {
      try slots.takeStranger(ObjectIdentifier(channel)) { channel.close(promise: nil) }
    }
    let connection = Connection(channel: channel, admission: admission)
    state.withLock { $0.connections[ObjectIdentifier(channel)] = connection }
  }

  func remove(_ channel: any Channel) {
    if let connection = state.withLock({ $0.connections.removeValue(forKey: ObjectIdentifier(channel)) }) {
      let isKnown = connection.admission?.isOpen ?? true
      isKnown ? slots.freeKnown() : slots.freeStranger(ObjectIdentifier(channel))
    }
    departures.signal()
  }

  var isEmpty: Bool { state.withLock { $0.connections.isEmpty } }

  /// Refuses new connections from now on.
  func close() {
    state.withLock { $0.isClosed = true }
  }

  var isClosed: Bool { state.withLock { $0.isClosed } }

  func fire(_ event: ListenerEvent) {
    for connection in state.withLock({ Array($0.connections.values) }) {
      connection.channel.pipeline.fireUserInboundEventTriggered(event)
    }
  }
}

/// An event that a listener sends to all its connections.
enum ListenerEvent: Sendable {
  /// The server is shutting down. Equivalent to the peer's last byte.
  case endOfInput
  /// The grace time is over.
  case abandon
}
