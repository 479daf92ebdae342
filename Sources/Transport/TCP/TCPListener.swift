import JSONRPC
import NIOCore
import NIOPosix

/// Accepts connections on a loopback port; each gets a session of its own.
package final class TCPListener: Sendable {
  private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  private let channel: any Channel
  private let registry = ConnectionRegistry()

  /// With the port that was bound.
  package let address: ListenAddress

  package convenience init(
    _ address: ListenAddress, limits: SessionLimits = SessionLimits(), verify: @escaping @Sendable (String) -> Bool,
    makeHandler: @escaping @Sendable (Admission) -> any MethodHandler
  ) throws {
    try self.init(
      address, times: SessionChannelHandler.Times(), limits: limits, verify: verify, makeHandler: makeHandler)
  }

  init(
    _ address: ListenAddress, times: SessionChannelHandler.Times, limits: SessionLimits = SessionLimits(),
    verify: @escaping @Sendable (String) -> Bool, makeHandler: @escaping @Sendable (Admission) -> any MethodHandler
  ) throws {
    let (host, port) = address.hostAndPort
    let bootstrap = Self.bootstrap(group) { [registry] channel in
      let admission = Admission(verify: verify, makeRoom: registry.makeRoom)
      guard registry.add(channel, admission) else { return channel.close() }
      return channel.eventLoop.makeCompletedFuture {
        let handler = SessionChannelHandler(
          admission: admission, times: times, eventLoop: channel.eventLoop, onEnd: { registry.remove(channel) },
          makeSession: { wake in
            Session(handler: makeHandler(admission), admission: admission, limits: limits, wake: wake)
          })
        try channel.pipeline.syncOperations.addHandler(handler)
      }
    }
    do {
      channel = try bootstrap.bind(host: host, port: port).wait()
    } catch {
      try? group.syncShutdownGracefully()
      throw error
    }
    self.address = .tcp(host: host, port: channel.localAddress?.port ?? port)
  }

  private static func bootstrap(
    _ group: MultiThreadedEventLoopGroup, _ initialize: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
  ) -> ServerBootstrap {
    ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 64)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelOption(.autoRead, value: false)
      .childChannelInitializer(initialize)
  }
}

// MARK: - The end

extension TCPListener {
  /// No new connections; each open one is treated as if its peer had sent its last byte.
  package func endOfInput() {
    registry.close()
    channel.close(promise: nil)
    registry.fire(SessionChannelHandler.EndOfInput())
  }

  /// Answers what is left with -32002 and closes.
  package func abandon() {
    registry.fire(SessionChannelHandler.Abandon())
  }

  package var hasConnections: Bool { !registry.isEmpty }

  /// Polls as readable when a connection is gone.
  var departures: EventDescriptor { registry.departures }

  /// Closes all at once, and ends the threads. Not on one of them.
  package func shutDown() {
    try? group.syncShutdownGracefully()
  }
}
