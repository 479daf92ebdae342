#if TenantService
  import HTTP
  import HummingbirdCore
  import Logging
  import NIOCore
  import NIOHTTP1
  import NIOSSL
  import Support

  /// Sets up the connections of a listener for Hummingbird's server, which accepts, counts and ends them.
  ///
  /// Hummingbird's own HTTP channel is not used: it gives a request to its responder before the body is there, has no
  /// deadline for slow bodies, and closes each connection on which it watches for the end of the client.
  struct ServerConnection: ServerChildChannel {
    struct Value: ServerChildChannelValue {
      let channel: any Channel
    }

    private static let headerBytes = 32 << 10
    private static let headerCount = 100

    let responder: any HTTPResponder
    let certificate: ServerCertificate?
    let limits: ServerLimits
    let clock: any Clock

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
      // The end of a client's input is the end of the client: nobody waits for the answer.
      channel.setOption(.allowRemoteHalfClosure, value: false).flatMapThrowing {
        let pipeline = channel.pipeline.syncOperations
        if let certificate { try pipeline.addHandler(NIOSSLServerHandler(context: certificate.context)) }
        var decoder = NIOHTTPDecoderLimitConfiguration()
        decoder.maxHeaderFieldSize = Self.headerBytes
        decoder.maxHeaderListSize = Self.headerBytes
        decoder.maxHeaderFieldCount = Self.headerCount
        try pipeline.configureHTTPServerPipeline(
          withPipeliningAssistance: true, withErrorHandling: true, withOutboundHeaderValidation: true,
          withEncoderConfiguration: .init(), withDecoderLimitConfiguration: decoder)
        try pipeline.addHandler(RequestHandler(responder, limits: limits, clock: clock))
        return Value(channel: channel)
      }
    }

    /// Waits for the end of the connection. If the server gives up waiting, closes it.
    func handle(value: Value, logger: Logger) async {
      await withTaskCancellationHandler {
        try? await value.channel.closeFuture.get()
      } onCancel: {
        value.channel.close(promise: nil)
      }
    }
  }
#endif
