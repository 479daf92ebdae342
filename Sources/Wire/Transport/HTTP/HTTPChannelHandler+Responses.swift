import NIOCore
import NIOHTTP1
import Support

/// Writes responses, and the streams of events and log lines.
extension HTTPChannelHandler {
  typealias HeaderFields = [(name: String, value: String)]

  /// Closes the connection if the request's head is unknown, if its body is still to come, or if no token was presented
  /// yet.
  func refuse(_ refusal: HTTPRefusal, _ head: HTTPRequestHead? = nil) {
    let isLast = refusal.closes || !admission.isOpen || head.map { $0.isLast || $0.hasBody } ?? true
    let text = head?.method == .HEAD ? "" : refusal.message + "\n"
    let fields = refusal.headers + [("Content-Type", "text/plain; charset=utf-8")]
    respond(refusal.status, fields, ByteBuffer(string: text), isLast: isLast, head?.version ?? .http1_1)
    if case .waitingForHead = state, head != nil { state = .waitingForEnd(.none) }
  }

  /// Then waits for the next request, unless this was the last.
  func respond(
    _ status: HTTPResponseStatus, _ fields: HeaderFields, _ body: ByteBuffer?, isLast: Bool, _ version: HTTPVersion
  ) {
    guard let context else { return }
    let isLast = isLast || isClosing
    var headers = headers(fields, isLast: isLast, version)
    if let body { headers.add(name: "Content-Length", value: String(body.readableBytes)) }
    write(.head(HTTPResponseHead(version: version, status: status, headers: headers)), context)
    if let body { write(.body(.byteBuffer(body)), context) }
    write(.end(nil), context)
    state = .waitingForHead
    context.flush()
    if isLast { return end(context) }
    // A connection without a token is closed soon.
    startTimer(admission.isOpen ? times.idle : times.admission) { handler in handler.context.map(handler.end) }
  }

  private func headers(_ fields: HeaderFields, isLast: Bool, _ version: HTTPVersion) -> HTTPHeaders {
    var headers = HTTPHeaders(fields)
    headers.add(name: "Cache-Control", value: "no-store")
    headers.add(name: "X-Content-Type-Options", value: "nosniff")
    if isLast {
      headers.add(name: "Connection", value: "close")
    } else if version.minor == 0 {
      headers.add(name: "Connection", value: "keep-alive")
    }
    return headers
  }

  private func write(_ part: HTTPServerResponsePart, _ context: ChannelHandlerContext) {
    context.write(wrapOutboundOut(part), promise: nil)
  }
}

// MARK: - Streams

extension HTTPChannelHandler {
  typealias Stream = any AsyncSequence<StreamedEvent, Never> & Sendable

  /// Sends what `open` returns for the id that the client has seen last. The last response of a connection.
  func stream(_ head: HTTPRequestHead, _ open: @escaping @Sendable (String?) async -> Stream?) {
    let lastEventID = head.headers.first(name: "last-event-id")
    guard lastEventID?.utf8.count ?? 0 <= StreamedEvent.maximumIDBytes else {
      return refuse(.badRequest("Last-Event-ID is longer than \(StreamedEvent.maximumIDBytes) bytes."), head)
    }
    guard let context, !isClosing else { return refuse(.shuttingDown, head) }
    let headers = headers([("Content-Type", "text/event-stream")], isLast: true, head.version)
    let response = HTTPResponseHead(version: head.version, status: .ok, headers: headers)
    let (channel, awake) = (context.channel, awake)
    let task = Task(executorPreference: BlockingExecutor.shared) {
      // Opened before the client sees the response, so that it misses nothing that it causes afterwards.
      let events = await open(lastEventID)
      if (try? await channel.writeAndFlush(HTTPServerResponsePart.head(response))) != nil {
        channel.eventLoop.execute { awake.value?.beat() }
        if let events { await sendEvents(events, to: channel) }
      }
      channel.eventLoop.execute { awake.value?.endStream() }
    }
    state = .streaming(task)
  }

  private func endStream() {
    guard case .streaming = state, let context else { return }
    write(.end(nil), context)
    end(context)
  }

  /// Sends a comment, so that a dead peer is noticed.
  private func beat() {
    guard case .streaming = state else { return }
    startTimer(times.heartbeat) { handler in
      guard case .streaming = handler.state, let context = handler.context else { return }
      if context.channel.isWritable {
        handler.write(.body(.byteBuffer(ByteBuffer(string: ":\n\n"))), context)
        context.flush()
      }
      handler.beat()
    }
  }
}

/// Returns at the end of the events, or when the channel is closed.
private func sendEvents(
  _ events: any AsyncSequence<StreamedEvent, Never> & Sendable, to channel: any Channel
) async {
  await sendAll(events, to: channel)
}

private func sendAll<Events: AsyncSequence<StreamedEvent, Never>>(_ events: Events, to channel: any Channel) async {
  for await event in events {
    let part = HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: event.text)))
    guard (try? await channel.writeAndFlush(part)) != nil else { return }
  }
}
