import JSONRPC
import NIOCore
import NIOPosix

/// Accepts connections on a loopback port; each gets a session of its own.
package final class TCPListener: Sendable {
  private let group: MultiThreadedEventLoopGroup
  private let channel: any Channel
  private let registry: ConnectionRegistry

  /// With the port that was bound.
  package let address: ListenAddress

  package init(
    _ address: ListenAddress, verify: @escaping @Sendable (String) -> Bool,
    makeHandler: @escaping @Sendable (Admission) -> any MethodHandler
  ) throws {
    let (host, port) = address.hostAndPort
    let registry = ConnectionRegistry()
    group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let bootstrap = ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 64)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelOption(.autoRead, value: false)
      .childChannelInitializer { channel in
        let admission = Admission { token in registry.hasRoom && verify(token) }
        guard registry.add(channel, admission) else { return channel.close() }
        channel.closeFuture.whenComplete { _ in registry.remove(channel) }
        return channel.eventLoop.makeCompletedFuture {
          let handler = SessionChannelHandler(admission: admission) { wake in
            Session(handler: makeHandler(admission), admission: admission, wake: wake)
          }
          try channel.pipeline.syncOperations.addHandler(handler)
        }
      }
    do {
      channel = try bootstrap.bind(host: host, port: port).wait()
    } catch {
      try? group.syncShutdownGracefully()
      throw error
    }
    self.registry = registry
    self.address = .tcp(host: host, port: channel.localAddress?.port ?? port)
  }

  /// No new connections; each open one is treated as if its peer had sent its last byte.
  package func endOfInput() {
    channel.close(promise: nil)
    registry.fire(SessionChannelHandler.EndOfInput())
  }

  /// Answers what is left with -32002 and closes.
  package func abandon() {
    registry.fire(SessionChannelHandler.Abandon())
  }

  package var hasConnections: Bool { !registry.isEmpty }
}
