import Glibc
import HTTPServer
import JSON
import JSONRPC
import NIOCore
import NIOHTTP1

/// Sets up the handlers of a connection that a listener has accepted.
final class ConnectionAcceptor: Sendable {
  let registry = ConnectionRegistry()
  private let service: SocketService
  private let times: ConnectionTimes
  private let owner: uid_t

  init(service: SocketService, times: ConnectionTimes, owner: uid_t) {
    self.service = service
    self.times = times
    self.owner = owner
  }

  /// For a client that must present the token first.
  func acceptStranger(_ channel: any Channel) -> EventLoopFuture<Void> {
    let admission = makeAdmission(of: channel)
    return admit(channel, admission, orRefuse: { [RefusalHandler($0)] }) { self.serve(channel, admission) }
  }

  /// For a client whose user the kernel has confirmed.
  func acceptFromUser(_ channel: any Channel) -> EventLoopFuture<Void> {
    channel.peerUser().flatMap { [self] user in
      guard user == owner else { return channel.close() }
      return admit(channel, nil, orRefuse: { [RefusalHandler($0)] }) { self.serve(channel, nil) }
    }
  }

  /// For a client that presents the token with each request.
  func acceptHTTP(_ channel: any Channel) -> EventLoopFuture<Void> {
    let admission = makeAdmission(of: channel)
    return admit(channel, admission, orRefuse: { _ in [HTTPResponseEncoder(), HTTPRefusalHandler(.noRoom)] }) {
      self.serveHTTP(channel, admission)
    }
  }

  private func makeAdmission(of channel: any Channel) -> Admission {
    let (slots, id) = (service.slots, ObjectIdentifier(channel))
    return Admission(verify: service.isToken, makeRoom: { () throws(RPCError) in try slots.exchange(id) })
  }

  /// Tells the client that there is no room, if it is still connected.
  private func admit(
    _ channel: any Channel, _ admission: Admission?,
    orRefuse refusal: @escaping @Sendable (RPCError) -> [any ChannelHandler],
    _ serve: () -> EventLoopFuture<Void>
  ) -> EventLoopFuture<Void> {
    guard !registry.isClosed else { return channel.close() }
    do throws(RPCError) {
      try register(channel, admission)
    } catch {
      return add(to: channel) { _ in refusal(error) }
    }
    return serve()
  }

  /// Throws -32004 if there is no slot for another connection of its kind.
  private func register(_ channel: any Channel, _ admission: Admission?) throws(RPCError) {
    let (slots, id) = (service.slots, ObjectIdentifier(channel))
    guard let admission else {
      try slots.takeKnown()
      return registry.add(channel) { slots.freeKnown() }
    }
    try slots.takeStranger(id) { channel.close(promise: nil) }
    registry.add(channel) { admission.isOpen ? slots.freeKnown() : slots.freeStranger(id) }
  }

  private func serveHTTP(_ channel: any Channel, _ admission: Admission) -> EventLoopFuture<Void> {
    let (service, times, registry) = (service, times, registry)
    return channel.eventLoop.makeCompletedFuture {
      let gate = HTTPGate(port: channel.localAddress?.port ?? 0, service: service)
      let application = BridgeApplication(service: service, gate: gate, admission: admission, times: times)
      try channel.pipeline.syncOperations.addHTTP(
        HTTPConnection(application, limits: HTTPConnectionLimits(times), eventLoop: channel.eventLoop) {
          registry.remove(channel)
        })
    }
  }

  private func serve(_ channel: any Channel, _ admission: Admission?) -> EventLoopFuture<Void> {
    let (service, times, registry) = (service, times, registry)
    return add(to: channel) { channel in
      [
        SessionChannelHandler(
          admission: admission, times: times, eventLoop: channel.eventLoop, onEnd: { registry.remove(channel) },
          makeSession: { wake in
            Session(
              handler: service.makeHandler(admission), admission: admission, limits: service.limits, wake: wake)
          })
      ]
    }
  }

  private func add(
    to channel: any Channel, _ make: @escaping @Sendable (any Channel) -> [any ChannelHandler]
  ) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandlers(make(channel)) }
  }
}

extension HTTPConnectionLimits {
  fileprivate init(_ times: ConnectionTimes) {
    self.init()
    (firstHead, body, write, lingering) = (times.admission, times.body, times.write, times.lingering)
  }
}

/// Tells a client why it is refused, and closes.
final class RefusalHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let error: RPCError

  init(_ error: RPCError) {
    self.error = error
  }

  func channelActive(context: ChannelHandlerContext) {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("jsonrpc", "2.0")
    writer.name("id")
    writer.null()
    writer.name("error")
    error.encode(to: &writer)
    writer.endObject()
    let line = context.channel.allocator.buffer(bytes: writer.bytes + [UInt8(ascii: "\n")])
    context.writeAndFlush(wrapOutboundOut(line), promise: nil)
    context.close(promise: nil)
  }
}
