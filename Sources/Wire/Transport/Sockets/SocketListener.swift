import Glibc
import HTTPServer
import JSONRPC
import NIOCore
import NIOPosix
import Support

/// Accepts connections on a loopback port or a unix socket. Each connection gets a session of its own; over HTTP, each
/// request does.
///
/// A socket that was passed to the listener is not removed at the end: it belongs to the process that bound it.
package final class SocketListener: Sendable {
  private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  /// Two channels for `localhost` if both its addresses are available.
  private let channels: [any Channel]
  private let registry: ConnectionRegistry
  /// `nil` for a port, and for a socket that was passed.
  private let file: UnixSocketFile?

  /// The address with the actual port.
  package let address: ListenAddress

  package convenience init(_ place: ListenPlace, service: SocketService) throws {
    let times = ConnectionTimes(admission: .seconds(Int64(service.limits.unauthenticatedSeconds)))
    try self.init(place, service: service, times: times)
  }

  /// Only processes of `owner` may use a unix socket.
  init(_ place: ListenPlace, service: SocketService, times: ConnectionTimes, owner: uid_t = geteuid()) throws {
    let address = place.address
    let acceptor = ConnectionAcceptor(service: service, times: times, owner: owner)
    do {
      file = try UnixSocketFile(at: place)
      let bootstrap = Self.bootstrap(group, address, acceptor, log: service.report)
      channels = try Self.bind(bootstrap, address, place.descriptor ?? file?.descriptor)
    } catch {
      try? group.syncShutdownGracefully()
      throw error
    }
    registry = acceptor.registry
    self.address = address.bound(to: channels.first?.localAddress?.port)
  }

  private static func bootstrap(
    _ group: MultiThreadedEventLoopGroup, _ address: ListenAddress, _ acceptor: ConnectionAcceptor,
    log: @escaping @Sendable (String) -> Void
  ) -> ServerBootstrap {
    let bootstrap = ServerBootstrap.listening(on: group, halfClosure: true, log: log)
      .serverChannelOption(.backlog, value: 64)
    switch address {
    case .unix: return bootstrap.childChannelInitializer(acceptor.acceptFromUser)
    case .tcp: return bootstrap.withPort().childChannelInitializer(acceptor.acceptStranger)
    case .http: return bootstrap.withPort().childChannelInitializer(acceptor.acceptHTTP)
    }
  }

  /// `descriptor` is bound already.
  private static func bind(
    _ bootstrap: ServerBootstrap, _ address: ListenAddress, _ descriptor: Int32?
  ) throws -> [any Channel] {
    switch (address, descriptor) {
    case (.tcp(let host, let port), nil), (.http(let host, let port), nil): try bind(bootstrap, host, port)
    case (_, let descriptor): [try bootstrap.withBoundSocket(descriptor ?? -1).wait()]
    }
  }

  /// The second address of `localhost` gets the port of the first if it is free there.
  private static func bind(_ bootstrap: ServerBootstrap, _ host: String, _ port: Int) throws -> [any Channel] {
    let numbers = ListenAddress.numbers(of: host)
    let first = try bootstrap.bind(to: SocketAddress(ipAddress: numbers[0], port: port)).wait()
    let others = numbers.dropFirst().compactMap { number in
      try? bootstrap.bind(to: SocketAddress(ipAddress: number, port: first.localAddress?.port ?? port)).wait()
    }
    return [first] + others
  }
}

extension UnixSocketFile {
  fileprivate convenience init?(at place: ListenPlace) throws(Failure) {
    guard case .unix(let path) = place.address, place.descriptor == nil else { return nil }
    try self.init(path: path)
  }
}

// MARK: - The end

extension SocketListener {
  /// Accepts no more connections, and treats each open one as if its peer had sent its last byte.
  package func endOfInput() {
    registry.close()
    for channel in channels { channel.close(promise: nil) }
    file?.remove()
    registry.fire(.endOfInput)
  }

  /// Answers remaining requests with -32002 and closes.
  package func abandon() {
    registry.fire(.abandon)
  }

  package var hasConnections: Bool { !registry.isEmpty }

  /// Polls as readable when a connection has ended.
  var departures: EventDescriptor { registry.departures }

  /// Closes everything at once, and ends the threads. Must not be called on one of them.
  package func shutDown() {
    file?.remove()
    try? group.syncShutdownGracefully()
  }
}

/// What the listeners of a server serve. They share its connection slots.
package struct SocketService: Sendable {
  package let limits: SessionLimits
  var slots: ConnectionSlots
  /// Compares in constant time.
  let isToken: @Sendable (UnsafeBufferPointer<UInt8>) -> Bool
  /// For a connection that must authenticate with a request, or for one that need not.
  let makeHandler: @Sendable (Admission?) -> any MethodHandler
  /// The text of `GET /openrpc.json`; `nil` if there is none.
  package var document: (@Sendable () -> String)?
  /// What to do instead of sending a body that is too large.
  package var largeBodyHint: String?
  /// The source of `GET /events`; `nil` if there are no events.
  package var events: (any EventStreamSource)?
  /// The source of `GET /log`; `nil` if there is no log.
  package var log: (any LogStreamSource)?
  /// Gets a line for people about a failure of which no client can learn.
  package var report: @Sendable (String) -> Void = { _ in }
  /// What `GET /` and the other files of a page return; `nil` if there is no page.
  package var page: PageFiles?
  /// What `GET /record` returns, and `POST` and `PUT` change; `nil` if the page keeps no record.
  package var record: PageRecord?
  /// What answers `POST /examine`; `nil` if the page has nothing to examine.
  package var examiner: PageExaminer?

  package init(
    limits: SessionLimits = SessionLimits(),
    isToken: @escaping @Sendable (UnsafeBufferPointer<UInt8>) -> Bool,
    makeHandler: @escaping @Sendable (Admission?) -> any MethodHandler
  ) {
    self.limits = limits
    slots = ConnectionSlots(limits: limits)
    self.isToken = isToken
    self.makeHandler = makeHandler
  }
}

extension Channel {
  /// The user whose process connected to a unix socket.
  func peerUser() -> EventLoopFuture<uid_t> {
    guard let options = self as? any SocketOptionProvider else {
      return eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
    }
    let found: EventLoopFuture<PeerCredentials> = options.unsafeGetSocketOption(
      level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED))
    return found.map(\.user)
  }
}

/// `struct ucred`, which the headers show only to GNU programs.
private struct PeerCredentials {
  let process: pid_t
  let user: uid_t
  let group: gid_t
}
