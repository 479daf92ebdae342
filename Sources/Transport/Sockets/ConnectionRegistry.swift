import JSONRPC
import NIOCore
import Support

/// The connections of a listener, authenticated ones and those that may still become so. One stays until its work is
/// done, even when its peer is gone.
final class ConnectionRegistry: Sendable {
  private struct Connection: Sendable {
    let channel: any Channel
    /// Nil where all who can connect may.
    let admission: Admission?
  }

  private struct State {
    var connections: [ObjectIdentifier: Connection] = [:]
    var isClosed = false
  }

  private let slots: ConnectionSlots
  private let state = Lock(State())
  /// Signalled whenever a connection is gone.
  let departures = EventDescriptor()

  init(slots: ConnectionSlots) {
    self.slots = slots
  }

  /// -32004 when there is no slot for one more of its kind.
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

  /// Those that come from now on are refused.
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

/// What a listener tells all of its connections.
enum ListenerEvent: Sendable {
  /// The server ends: as if the peer had sent its last byte.
  case endOfInput
  /// The time of grace is over.
  case abandon
}
