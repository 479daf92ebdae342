#if TenantService
  import HTTP
  import NIOCore
  import NIOHTTP1
  import Support

  /// Reads the requests of one connection, lets the responder answer them, and writes the answers.
  ///
  /// The handler before this one keeps back a request until the end of the last response is written. This one writes the
  /// end after everything else is with the kernel, so a client that does not read holds one response in memory.
  ///
  /// Belongs to the event loop of its channel. The responder's task is cancelled when the connection ends.
  final class RequestHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private enum State {
      /// Between requests, and before the first.
      case idle
      case reading(HTTPRequestHead, body: [UInt8])
      case responding(HTTPRequestHead, Task<Void, Never>)
      /// The kernel has not taken all of the response.
      case writing
      /// The last response is sent or being sent, and the connection closes.
      case closing
    }

    private let responder: any HTTPResponder
    private let limits: ServerLimits
    private let clock: any Clock
    private var state = State.idle
    private var timer: Scheduled<Void>?
    private var peer = ""

    init(_ responder: any HTTPResponder, limits: ServerLimits, clock: any Clock) {
      (self.responder, self.limits, self.clock) = (responder, limits, clock)
    }

    func handlerAdded(context: ChannelHandlerContext) {
      peer = context.remoteAddress?.ipAddress ?? ""
      closeAfter(limits.headerPatience, context)
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func channelInactive(context: ChannelHandlerContext) {
      end()
      context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head(let head): begin(head, context)
      case .body(let buffer): append(buffer, context)
      case .end: respond(context)
      }
    }

    /// What breaks the rules of HTTP is answered by the handler before this one; anything else ends the connection.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      if error is HTTPParserError { return context.fireErrorCaught(error) }
      context.close(promise: nil)
    }

    private func end() {
      timer?.cancel()
      if case .responding(_, let task) = state { task.cancel() }
      state = .closing
    }
  }

  // MARK: - Reading

  extension RequestHandler {
    private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
      guard case .idle = state else { return }
      if let length = head.headers.first(name: "content-length").flatMap({ Int($0) }), length > limits.bodyBytes {
        return refuse(413, head, context)
      }
      state = .reading(head, body: [])
      schedule(limits.bodyPatience, context) { handler, context in handler.refuse(408, head, context) }
      if head.headers[canonicalForm: "expect"].contains(where: { $0.lowercased() == "100-continue" }) {
        context.writeAndFlush(
          wrapOutboundOut(.head(HTTPResponseHead(version: head.version, status: .continue))), promise: nil)
      }
    }

    private func append(_ buffer: ByteBuffer, _ context: ChannelHandlerContext) {
      guard case .reading(let head, var body) = state else { return }
      guard body.count + buffer.readableBytes <= limits.bodyBytes else { return refuse(413, head, context) }
      state = .closing  // so that the bytes are not shared, and not copied
      body.append(contentsOf: buffer.readableBytesView)
      state = .reading(head, body: body)
    }

    private func respond(_ context: ChannelHandlerContext) {
      guard case .reading(let head, let body) = state else { return }
      timer?.cancel()
      let request = Self.request(head, body)
      let loop = context.eventLoop
      let own = NIOLoopBound((self, context), eventLoop: loop)
      let task = Task { [responder, peer] in
        let response = await responder.response(to: request, from: peer)
        loop.execute {
          let (handler, context) = own.value
          handler.finish(response, context)
        }
      }
      state = .responding(head, task)
    }

    private static func request(_ head: HTTPRequestHead, _ body: [UInt8]) -> HTTPRequest {
      HTTPRequest(head.method.rawValue, target(head.uri), headers: HTTPHeaders(head.headers), body: body)
    }

    /// A proxy may name the whole URL. The path and the query remain.
    private static func target(_ uri: String) -> String {
      guard !uri.hasPrefix("/"), let url = WebURL(uri) else { return uri }
      return url.target.isEmpty ? "/" : url.target
    }
  }

  // MARK: - Writing

  extension RequestHandler {
    private func finish(_ response: HTTPResponse, _ context: ChannelHandlerContext) {
      guard case .responding(let head, _) = state else { return }
      write(response, to: head, closing: !head.isKeepAlive, context)
    }

    /// Answers a request before all of it is there. The rest cannot be told from the next request, so this closes.
    private func refuse(_ status: Int, _ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
      let response = responder.refusal(status, of: Self.request(head, []), from: peer)
      write(response, to: head, closing: true, context)
    }

    private func write(
      _ response: HTTPResponse, to request: HTTPRequestHead, closing: Bool, _ context: ChannelHandlerContext
    ) {
      state = closing ? .closing : .writing
      let status = HTTPResponseStatus(statusCode: response.status)
      var head = HTTPResponseHead(version: request.version, status: status)
      for field in response.headers.fields { head.headers.add(name: field.name, value: field.value) }
      if status.mayHaveResponseBody {
        head.headers.replaceOrAdd(name: "Content-Length", value: "\(response.body.count)")
      }
      if response.headers["Date"] == nil { head.headers.add(name: "Date", value: clock.now.httpDate) }
      if closing { head.headers.replaceOrAdd(name: "Connection", value: "close") }
      closeAfter(limits.writePatience, context)
      let own = NIOLoopBound((self, context), eventLoop: context.eventLoop)
      let hasBody = request.method != .HEAD && status.mayHaveResponseBody && !response.body.isEmpty
      let written =
        hasBody ? writeBody(response.body, after: head, context) : context.writeAndFlush(wrapOutboundOut(.head(head)))
      written.whenSuccess {
        let (handler, context) = own.value
        handler.endResponse(closing: closing, context)
      }
    }

    private func writeBody(
      _ body: [UInt8], after head: HTTPResponseHead, _ context: ChannelHandlerContext
    ) -> EventLoopFuture<Void> {
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      return context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))))
    }

    /// The end itself has no bytes, because each response says how long it is. Writing it lets in the next request.
    private func endResponse(closing: Bool, _ context: ChannelHandlerContext) {
      if closing {
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        return context.close(promise: nil)
      }
      guard case .writing = state else { return }
      state = .idle
      closeAfter(limits.idlePatience, context)
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    private func closeAfter(_ patience: Duration, _ context: ChannelHandlerContext) {
      schedule(patience, context) { _, context in context.close(promise: nil) }
    }

    private func schedule(
      _ patience: Duration, _ context: ChannelHandlerContext,
      _ body: @escaping @Sendable (RequestHandler, ChannelHandlerContext) -> Void
    ) {
      timer?.cancel()
      let own = NIOLoopBound((self, context), eventLoop: context.eventLoop)
      timer = context.eventLoop.scheduleTask(in: TimeAmount(patience)) {
        let (handler, context) = own.value
        body(handler, context)
      }
    }
  }

  extension HTTP.HTTPHeaders {
    /// From the headers of a received request.
    fileprivate init(_ headers: NIOHTTP1.HTTPHeaders) {
      self.init()
      for field in headers { add(field.name, field.value) }
    }
  }
#endif
