import JSONRPC
import NIOCore
import Support

/// The connections of a listener, authenticated ones and those that may still become so. One stays until its work is
/// done, even when its peer is gone.
final class ConnectionRegistry: Sendable {
  static let maximumAuthenticated = 64
  static let maximumUnauthenticated = 16

  private struct Connection: Sendable {
    let channel: any Channel
    let admission: Admission
  }

  private struct State {
    var connections: [ObjectIdentifier: Connection] = [:]
    var isClosed = false
  }

  private let state = Lock(State())
  /// Signalled whenever a connection is gone.
  let departures = EventDescriptor()

  /// False when there is no room for one more stranger, or for nobody any more.
  func add(_ channel: any Channel, _ admission: Admission) -> Bool {
    state.withLock { state in
      let strangers = state.connections.values.count { !$0.admission.isOpen }
      guard strangers < Self.maximumUnauthenticated, !state.isClosed else { return false }
      state.connections[ObjectIdentifier(channel)] = Connection(channel: channel, admission: admission)
      return true
    }
  }

  /// Throws -32004 when no more connections may be authenticated.
  func makeRoom() throws(RPCError) {
    let count = state.withLock { $0.connections.values.count { $0.admission.isOpen } }
    guard count < Self.maximumAuthenticated else {
      throw RPCError(LimitExcess(.connections, Self.maximumAuthenticated))
    }
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

  func fire(_ event: some Sendable) {
    for connection in state.withLock({ Array($0.connections.values) }) {
      connection.channel.pipeline.fireUserInboundEventTriggered(event)
    }
  }
}
