import NIOCore
import NIOPosix

extension ServerBootstrap {
  /// A bootstrap whose connections read only when they are told to, and whose listener pauses while the system has no
  /// room. `log` gets a line for each shortage. With `halfClosure`, a client may end its output and read on.
  package static func listening(
    on group: any EventLoopGroup, halfClosure: Bool, log: @escaping @Sendable (String) -> Void
  ) -> ServerBootstrap {
    ServerBootstrap(group: group)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(AcceptPause(log: log))
        }
      }
      .serverChannelOption(.maxMessagesPerRead, value: 1)
      .childChannelOption(.allowRemoteHalfClosure, value: halfClosure)
      .childChannelOption(.autoRead, value: false)
  }

  /// For a port, not for a unix socket.
  package func withPort() -> ServerBootstrap {
    serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
  }
}
