import Glibc
import JSONRPC
import NIOCore
import NIOPosix

/// Accepts connections on a loopback port or a unix socket. Each gets a session of its own; over HTTP, each request does.
package final class SocketListener: Sendable {
  private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  private let channel: any Channel
  private let registry: ConnectionRegistry
  /// Nil for a port.
  private let file: UnixSocketFile?

  /// With the port that was bound.
  package let address: ListenAddress

  package convenience init(_ address: ListenAddress, service: SocketService) throws {
    let times = ConnectionTimes(admission: .seconds(Int64(service.limits.unauthenticatedSeconds)))
    try self.init(address, service: service, times: times)
  }

  /// Only processes of `owner` may use a unix socket.
  init(_ address: ListenAddress, service: SocketService, times: ConnectionTimes, owner: uid_t = geteuid()) throws {
    let acceptor = ConnectionAcceptor(service: service, times: times, owner: owner)
    do {
      file = try UnixSocketFile(at: address)
      let bootstrap = Self.bootstrap(group, address, acceptor)
      channel = try Self.bind(bootstrap, address, file).wait()
    } catch {
      try? group.syncShutdownGracefully()
      throw error
    }
    registry = acceptor.registry
    self.address = address.bound(to: channel.localAddress?.port)
  }

  private static func bootstrap(
    _ group: MultiThreadedEventLoopGroup, _ address: ListenAddress, _ acceptor: ConnectionAcceptor
  ) -> ServerBootstrap {
    let bootstrap = ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 64)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelOption(.autoRead, value: false)
    switch address {
    case .unix: return bootstrap.childChannelInitializer(acceptor.acceptFromUser)
    case .tcp: return withPort(bootstrap).childChannelInitializer(acceptor.acceptStranger)
    case .http: return withPort(bootstrap).childChannelInitializer(acceptor.acceptHTTP)
    }
  }

  private static func withPort(_ bootstrap: ServerBootstrap) -> ServerBootstrap {
    bootstrap
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
  }

  private static func bind(
    _ bootstrap: ServerBootstrap, _ address: ListenAddress, _ file: UnixSocketFile?
  ) -> EventLoopFuture<any Channel> {
    switch address {
    case .tcp(let host, let port), .http(let host, let port): bootstrap.bind(host: host, port: port)
    case .unix: bootstrap.withBoundSocket(file?.descriptor ?? -1)
    }
  }
}

extension UnixSocketFile {
  fileprivate convenience init?(at address: ListenAddress) throws(Failure) {
    guard case .unix(let path) = address else { return nil }
    try self.init(path: path)
  }
}

// MARK: - The end

extension SocketListener {
  /// No new connections; each open one is treated as if its peer had sent its last byte.
  package func endOfInput() {
    registry.close()
    channel.close(promise: nil)
    file?.remove()
    registry.fire(.endOfInput)
  }

  /// Answers what is left with -32002 and closes.
  package func abandon() {
    registry.fire(.abandon)
  }

  package var hasConnections: Bool { !registry.isEmpty }

  /// Polls as readable when a connection is gone.
  var departures: EventDescriptor { registry.departures }

  /// Closes all at once, and ends the threads. Not on one of them.
  package func shutDown() {
    file?.remove()
    try? group.syncShutdownGracefully()
  }
}
