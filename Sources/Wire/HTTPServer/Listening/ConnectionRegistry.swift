import NIOCore
import Support

/// The connections of a listener. A connection stays until its work is done, even if its peer is gone.
package final class ConnectionRegistry: Sendable {
  private struct Connection: Sendable {
    let channel: any Channel
    let didLeave: @Sendable () -> Void
  }

  private struct State {
    var connections: [ObjectIdentifier: Connection] = [:]
    var isClosed = false
    /// To be called once when there is no connection.
    var waiters: [@Sendable () -> Void] = []

    mutating func takeWaiters() -> [@Sendable () -> Void] {
      guard connections.isEmpty else { return [] }
      defer { waiters = [] }
      return waiters
    }
  }

  private let state = Lock(State())
  /// Signalled whenever a connection ends.
  package let departures = EventDescriptor()

  package init() {}

  /// `didLeave` is called when the connection is removed.
  package func add(_ channel: any Channel, didLeave: @escaping @Sendable () -> Void) {
    let connection = Connection(channel: channel, didLeave: didLeave)
    state.withLock { $0.connections[ObjectIdentifier(channel)] = connection }
  }

  package func remove(_ channel: any Channel) {
    let (connection, waiters) = state.withLock { state in
      (state.connections.removeValue(forKey: ObjectIdentifier(channel)), state.takeWaiters())
    }
    connection?.didLeave()
    for waiter in waiters { waiter() }
    departures.signal()
  }

  package var isEmpty: Bool { state.withLock { $0.connections.isEmpty } }

  /// Returns when there is no connection.
  package func waitUntilEmpty() async {
    await withCheckedContinuation { continuation in
      let waiters = state.withLock { state in
        state.waiters.append { continuation.resume() }
        return state.takeWaiters()
      }
      for waiter in waiters { waiter() }
    }
  }

  /// Refuses new connections from now on.
  package func close() {
    state.withLock { $0.isClosed = true }
  }

  package var isClosed: Bool { state.withLock { $0.isClosed } }

  package func fire(_ event: ListenerEvent) {
    for connection in state.withLock({ Array($0.connections.values) }) {
      connection.channel.pipeline.fireUserInboundEventTriggered(event)
    }
  }
}

/// An event that a listener sends to all its connections.
package enum ListenerEvent: Sendable {
  /// The server is shutting down. Equivalent to the peer's last byte.
  case endOfInput
  /// The grace time is over.
  case abandon
}
