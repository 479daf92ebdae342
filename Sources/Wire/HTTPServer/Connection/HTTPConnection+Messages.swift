import NIOCore
import NIOHTTP1
import Support

/// Handles the parts of requests as they arrive.
extension HTTPConnection {
  func take(_ item: Item) {
    defer { item.clear() }
    switch (state, item) {
    case (.ending, _): break
    case (_, .failure(let error)): refuse(.malformed(error), nil)
    case (.waitingForHead, .part(.head(let head))): begin(head)
    case (.takingBody(let head, _, let limit), .part(.body(let part))): takeBody(head, part, limit)
    case (.takingBody(let head, let target, _), .part(.end)): work(head, target)
    // The rest of a request that is answered already.
    default: break
    }
  }

  private func begin(_ head: HTTPRequestHead) {
    stopTimer()
    let target: RequestTarget
    do throws(HTTPFault) { target = try RequestTarget(of: head) } catch { return refuse(error, head) }
    let limit: Int
    do throws(HTTPReply) { limit = try application.accept(head, at: target) } catch { return refuse(with: error, head) }
    if head.hasEncodedBody { return refuse(.encodedBody, head) }
    if let length = head.headers.first(name: "content-length"), Int(length).map({ $0 > limit }) ?? true {
      return refuse(.tooLarge, head)
    }
    state = .takingBody(head, target, limit: limit)
    guard head.hasBody else { return }
    startTimer(limits.body) { $0.refuse(.lateBody, head) }
    if head.expectsContinue { write(.head(HTTPResponseHead(version: .http1_1, status: .continue)), flushes: true) }
  }

  private func takeBody(_ head: HTTPRequestHead, _ part: ByteBuffer, _ limit: Int) {
    guard bodyBytes + part.readableBytes <= limit else { return refuse(.tooLarge, head) }
    guard let bytes = part.withUnsafeReadableBytes({ ClearedBytes($0) }) else { return refuse(.noMemory, head) }
    bodyBytes += bytes.count
    body.append(bytes)
  }

  func dropBody() {
    body = []
    bodyBytes = 0
  }

  private func work(_ head: HTTPRequestHead, _ target: RequestTarget) {
    stopTimer()
    let message = body
    dropBody()
    state = .beginning(head)
    reportBusy(true)
    let work = application.begin(head, at: target, message, on: self)
    // The answer may be there already.
    guard case .beginning = state else { return }
    state = .working(work, head)
    if isClosing { work.serverDidEnd() }
  }
}

// MARK: - Responses

extension HTTPConnection {
  /// Ends the work of a request with its answer.
  package func finish(_ reply: HTTPReply) {
    let head: HTTPRequestHead
    switch state {
    case .beginning(let begun), .working(_, let begun): head = begun
    default: return
    }
    guard context != nil else { return leave() }
    respond(reply, head, isLast: reply.closes || head.isLast)
    advance()
  }

  /// Ends the work of a request and the connection without an answer, or in the middle of the body of one.
  package func breakOff(in reply: HTTPReply? = nil) {
    let head: HTTPRequestHead
    switch state {
    case .beginning(let begun), .working(_, let begun): head = begun
    default: return
    }
    guard let context else { return leave() }
    if let reply {
      var response = responseHead(reply.status, reply.fields, isLast: true, head.version)
      let length = reply.body.reduce(0) { $0 + $1.readableBytes }
      // More than ever comes, also of an empty body.
      response.headers.add(name: "Content-Length", value: String(max(2, length)))
      write(.head(response))
      if var first = reply.body.first, let half = first.readSlice(length: first.readableBytes / 2) {
        write(.body(.byteBuffer(half)))
      }
    }
    end(context)
  }

  func refuse(_ fault: HTTPFault, _ head: HTTPRequestHead?) {
    guard let reply = application.refusal(fault, of: head) else {
      context?.close(promise: nil)
      return
    }
    refuse(with: reply, head)
  }

  /// Closes the connection if the head is unknown, or if the body is still to come.
  private func refuse(with reply: HTTPReply, _ head: HTTPRequestHead?) {
    dropBody()
    respond(reply, head, isLast: reply.closes || head.map { $0.isLast || $0.hasBody } ?? true)
    advance()
  }

  /// Then waits for the next request, unless this was the last.
  private func respond(_ reply: HTTPReply, _ request: HTTPRequestHead?, isLast: Bool) {
    guard let context else { return }
    let isLast = isLast || isClosing
    let version = request?.version ?? .http1_1
    var head = responseHead(reply.status, reply.fields, isLast: isLast, version)
    let length = reply.body.reduce(0) { $0 + $1.readableBytes }
    if reply.status.mayHaveResponseBody { head.headers.add(name: "Content-Length", value: String(length)) }
    state = .writing(isLast: isLast)
    stopTimer()
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if request?.method != .HEAD, reply.status.mayHaveResponseBody {
      for piece in reply.body { context.write(wrapOutboundOut(.body(.byteBuffer(piece))), promise: nil) }
    }
    let written: EventLoopFuture<Void> = context.writeAndFlush(wrapOutboundOut(.end(nil)))
    written.assumeIsolated().whenSuccess { self.didWrite() }
    if case .writing = state, let patience = limits.write { awaitReading(patience) }
  }

  /// Closes the connection when the client has read nothing for this long, however large the response is.
  private func awaitReading(_ patience: TimeAmount) {
    let before = unsentBytes
    startTimer(patience) { connection in
      guard case .writing = connection.state, connection.unsentBytes < before else {
        connection.context?.close(promise: nil)
        return
      }
      connection.awaitReading(patience)
    }
  }

  /// What waits in this process for the client to read.
  private var unsentBytes: Int {
    (try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
  }

  /// Without the length of a body.
  package func responseHead(
    _ status: HTTPResponseStatus, _ fields: [(name: String, value: String)], isLast: Bool, _ version: HTTPVersion
  ) -> HTTPResponseHead {
    var headers = HTTPHeaders(fields)
    if isLast {
      headers.replaceOrAdd(name: "Connection", value: "close")
    } else if version.minor == 0 {
      headers.add(name: "Connection", value: "keep-alive")
    }
    return HTTPResponseHead(version: version, status: status, headers: headers)
  }

  private func didWrite() {
    guard case .writing(let isLast) = state, let context else { return }
    reportBusy(false)
    state = .waitingForHead
    if isLast { return end(context) }
    startTimer(application.idleTime) { connection in connection.context.map(connection.end) }
    advance()
  }

  package func write(_ part: HTTPServerResponsePart, flushes: Bool = false) {
    context?.write(wrapOutboundOut(part), promise: nil)
    if flushes { context?.flush() }
  }

  /// Ends a response without a length, which the work itself has written. The last response of a connection.
  package func finishStream() {
    guard case .working = state else { return }
    guard let context else { return leave() }
    write(.end(nil))
    end(context)
  }
}
