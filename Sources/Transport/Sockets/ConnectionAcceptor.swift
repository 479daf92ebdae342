import Glibc
import JSONRPC
import NIOCore
import NIOHTTP1

/// Makes what serves a connection that a listener has accepted.
final class ConnectionAcceptor: Sendable {
  let registry: ConnectionRegistry
  private let service: SocketService
  private let times: ConnectionTimes
  private let owner: uid_t

  init(service: SocketService, times: ConnectionTimes, owner: uid_t) {
    self.service = service
    registry = ConnectionRegistry(limits: service.limits)
    self.times = times
    self.owner = owner
  }

  /// Somebody who must show the token first.
  func acceptStranger(_ channel: any Channel) -> EventLoopFuture<Void> {
    let admission = makeAdmission()
    guard registry.add(channel, admission) else {
      return refuse(channel) { [registry] _ in [RefusalHandler(registry.noRoomForStrangers)] }
    }
    return serve(channel, admission)
  }

  /// Somebody whom the kernel knows.
  func acceptFromUser(_ channel: any Channel) -> EventLoopFuture<Void> {
    channel.peerUser().flatMap { [self] user in
      guard user == owner else { return channel.close() }
      guard registry.add(channel, nil) else {
        return refuse(channel) { [registry] _ in [RefusalHandler(registry.noRoom)] }
      }
      return serve(channel, nil)
    }
  }

  /// Somebody who shows the token with each request.
  func acceptHTTP(_ channel: any Channel) -> EventLoopFuture<Void> {
    let admission = makeAdmission()
    guard registry.add(channel, admission) else {
      return refuse(channel) { _ in [HTTPResponseEncoder(), HTTPRefusalHandler(.noRoom)] }
    }
    let (service, times, registry) = (service, times, registry)
    return add(to: channel) { channel in
      let gate = HTTPGate(port: channel.localAddress?.port ?? 0, service: service)
      let handler = HTTPChannelHandler(
        service: service, gate: gate, admission: admission, times: times, eventLoop: channel.eventLoop,
        onEnd: { registry.remove(channel) })
      return [Self.makeDecoder(), HTTPResponseEncoder(), handler]
    }
  }

  private func makeAdmission() -> Admission {
    Admission(verify: service.isToken, makeRoom: registry.makeRoom)
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

  /// Says why, unless there is nobody any more who could.
  private func refuse(
    _ channel: any Channel, _ make: @escaping @Sendable (any Channel) -> [any ChannelHandler]
  ) -> EventLoopFuture<Void> {
    registry.isClosed ? channel.close() : add(to: channel, make)
  }

  private func add(
    to channel: any Channel, _ make: @escaping @Sendable (any Channel) -> [any ChannelHandler]
  ) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandlers(make(channel)) }
  }

  private static func makeDecoder() -> ByteToMessageHandler<HTTPRequestDecoder> {
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = 8 << 10
    limits.maxHeaderListSize = 16 << 10
    limits.maxHeaderFieldCount = 64
    return ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: limits))
  }
}
