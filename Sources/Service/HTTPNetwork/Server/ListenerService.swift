#if TenantService
  import HTTPServer
  import NIOCore
  import NIOPosix
  import NIOSSL
  import ServiceLifecycle
  import Support

  /// Accepts the connections of a listener until the server ends, and then waits for their requests.
  struct ListenerService: Service {
    let listener: NetworkServer.Listener
    let clock: any Clock
    let log: @Sendable (String) -> Void
    /// Called with the port when the listener accepts connections.
    let didStart: @Sendable (Int?) -> Void
    /// Called if the address cannot be listened on.
    let didFail: @Sendable (any Error) -> Void
    private let registry = ConnectionRegistry()

    init(
      _ listener: NetworkServer.Listener, clock: any Clock, log: @escaping @Sendable (String) -> Void,
      didStart: @escaping @Sendable (Int?) -> Void, didFail: @escaping @Sendable (any Error) -> Void
    ) {
      (self.listener, self.clock, self.log) = (listener, clock, log)
      (self.didStart, self.didFail) = (didStart, didFail)
    }

    func run() async throws {
      let channel = try await bind()
      didStart(channel.localAddress?.port)
      await waitForEnd(of: channel)
      guard registry.isClosed else {
        throw NetworkError(.ended, "The system has ended the listener at \(listener.address).")
      }
      registry.fire(.endOfInput)
      await withTaskCancellationHandler { [registry] in
        await registry.waitUntilEmpty()
      } onCancel: { [registry] in
        registry.fire(.abandon)
      }
    }

    /// Returns when the server begins to end, when another of its services has failed, which cancels this task, or when
    /// the system has closed the channel.
    private func waitForEnd(of channel: any Channel) async {
      let close = { @Sendable [registry] in
        registry.close()
        channel.close(promise: nil)
      }
      await withTaskCancellationHandler {
        await withGracefulShutdownHandler {
          try? await channel.closeFuture.get()
        } onGracefulShutdown: {
          close()
        }
      } onCancel: {
        close()
      }
    }

    private func bind() async throws -> any Channel {
      do {
        return try await ServerBootstrap.listening(
          on: MultiThreadedEventLoopGroup.singleton, halfClosure: false, log: log
        )
        .withPort()
        .serverChannelOption(.backlog, value: 256)
        .childChannelInitializer { [self] in accept($0) }
        .bind(host: listener.address.host, port: listener.address.port).get()
      } catch {
        didFail(error)
        throw error
      }
    }

    private func accept(_ channel: any Channel) -> EventLoopFuture<Void> {
      guard !registry.isClosed else { return channel.close() }
      let (slots, id) = (listener.slots, ObjectIdentifier(channel))
      slots.take(id, from: ClientAddress(channel.remoteAddress)) { channel.close(promise: nil) }
      registry.add(channel) { slots.free(id) }
      // A shutdown that has begun meanwhile may have missed the connection.
      guard !registry.isClosed else {
        registry.remove(channel)
        return channel.close()
      }
      return channel.eventLoop.makeCompletedFuture {
        do {
          try setUp(channel)
        } catch {
          registry.remove(channel)
          throw error
        }
      }
    }

    private func setUp(_ channel: any Channel) throws {
      let (slots, id) = (listener.slots, ObjectIdentifier(channel))
      let pipeline = channel.pipeline.syncOperations
      if listener.address.usesTLS, let certificate = listener.certificate {
        try pipeline.addHandler(NIOSSLServerHandler(context: certificate.context))
      }
      let application = ResponderApplication(
        listener.responder, limits: listener.limits, clock: clock, peer: channel.remoteAddress?.ipAddress ?? "",
        didProve: { slots.authenticate(id) })
      try pipeline.addHTTP(
        HTTPConnection(
          application, limits: HTTPConnectionLimits(listener.limits), eventLoop: channel.eventLoop,
          onBusy: { slots.setBusy(id, $0) }, onEnd: { [registry] in registry.remove(channel) }))
    }
  }

  extension HTTPConnectionLimits {
    /// Bytes of one header field, and of all.
    private static let headerBytes = 32 << 10

    fileprivate init(_ limits: ServerLimits) {
      self.init()
      (fieldBytes, headBytes, fieldCount) = (Self.headerBytes, Self.headerBytes, 100)
      firstHead = TimeAmount(limits.headerPatience)
      body = TimeAmount(limits.bodyPatience)
      write = TimeAmount(limits.writePatience)
      lingering = .seconds(1)
      awaitsBodiesAtEnd = true
    }
  }
#endif
