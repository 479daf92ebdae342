import JSONRPC
import NIOCore
import Support

/// The open connections of a listener, authenticated ones and those that may still become so.
final class ConnectionRegistry: Sendable {
  static let maximumAuthenticated = 64
  static let maximumUnauthenticated = 16

  private struct Connection: Sendable {
    let channel: any Channel
    let admission: Admission
  }

  private let connections = Lock<[ObjectIdentifier: Connection]>([:])

  /// False when there is no room for one more.
  func add(_ channel: any Channel, _ admission: Admission) -> Bool {
    connections.withLock { connections in
      let strangers = connections.values.count { !$0.admission.isOpen }
      guard strangers < Self.maximumUnauthenticated,
        connections.count < Self.maximumAuthenticated + Self.maximumUnauthenticated
      else { return false }
      connections[ObjectIdentifier(channel)] = Connection(channel: channel, admission: admission)
      return true
    }
  }

  /// Whether one more connection may be authenticated.
  var hasRoom: Bool {
    connections.withLock { $0.values.count { $0.admission.isOpen } < Self.maximumAuthenticated }
  }

  func remove(_ channel: any Channel) {
    connections.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(channel)) }
  }

  var isEmpty: Bool { connections.withLock { $0.isEmpty } }

  func fire(_ event: some Sendable) {
    for connection in connections.withLock({ Array($0.values) }) {
      connection.channel.pipeline.fireUserInboundEventTriggered(event)
    }
  }
}
