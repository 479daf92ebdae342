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

    var isStranger: Bool { admission?.isOpen == false }
  }

  private struct State {
    var connections: [ObjectIdentifier: Connection] = [:]
    var isClosed = false

    var strangers: Int { connections.values.count(where: \.isStranger) }
    var known: Int { connections.count - strangers }
  }

  private let limits: SessionLimits
  private let state = Lock(State())
  /// Signalled whenever a connection is gone.
  let departures = EventDescriptor()

  init(limits: SessionLimits) {
    self.limits = limits
  }

  /// False when there is no room for one more of its kind, or for nobody any more.
  func add(_ channel: any Channel, _ admission: Admission?) -> Bool {
    state.withLock { state in
      let hasRoom =
        admission == nil
        ? state.known < limits.connections : state.strangers < limits.unauthenticatedConnections
      guard hasRoom, !state.isClosed else { return false }
      state.connections[ObjectIdentifier(channel)] = Connection(channel: channel, admission: admission)
      return true
    }
  }

  /// Throws -32004 when no more connections may be authenticated.
  func makeRoom() throws(RPCError) {
    guard state.withLock({ $0.known < limits.connections }) else { throw noRoom }
  }

  var noRoom: RPCError { RPCError(LimitExcess(.connections, limits.connections)) }

  var noRoomForStrangers: RPCError {
    RPCError(LimitExcess(.unauthenticated, limits.unauthenticatedConnections))
  }

  func remove(_ channel: any Channel) {
    state.withLock { _ = $0.connections.removeValue(forKey: ObjectIdentifier(channel)) }
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
