import JSONRPC
import NIOCore
import NIOHTTP1
import Support

/// Handles the parts of requests as they arrive.
extension HTTPChannelHandler {
  func take(_ item: Item) {
    defer { item.clear() }
    switch (state, item) {
    case (.ending, _): break
    case (_, .failure(let refusal)): refuse(refusal)
    case (.waitingForHead, .part(.head(let head))): begin(head)
    case (.waitingForEnd(let action), .part(.end)): perform(action)
    case (.takingBody(let head), .part(.body(let part))): takeBody(head, part)
    case (.takingBody(let head), .part(.end)): work(head)
    default: break
    }
  }

  private func begin(_ head: HTTPRequestHead) {
    do throws(HTTPRefusal) {
      let target = try gate.target(of: head)
      if target.needsToken {
        try admit(head)
        stopTimer()
      }
      switch target {
      case .call: try expectBody(head)
      case .document: try expectEnd(head, .document(head))
      case .events: try expectEnd(head, .events(head))
      case .log(let level): try expectEnd(head, .log(level: level, head))
      case .file(let file): try expectEnd(head, .file(file, head))
      }
    } catch {
      refuse(error, head)
    }
  }

  private func admit(_ head: HTTPRequestHead) throws(HTTPRefusal) {
    do throws(RPCError) {
      try admission.present(head.bearerToken ?? "")
    } catch {
      throw error.code == RPCErrorCode.notAuthenticated.rawValue ? .unauthorized : .noRoom
    }
  }

  private func expectEnd(_ head: HTTPRequestHead, _ action: HTTPAction) throws(HTTPRefusal) {
    guard !head.hasBody else { throw .badRequest("This request must not have a body.") }
    state = .waitingForEnd(action)
  }

  private func expectBody(_ head: HTTPRequestHead) throws(HTTPRefusal) {
    try gate.checkBody(head)
    state = .takingBody(head)
    startTimer(times.body) { $0.refuse(.tooSlow) }
    if head.expectsContinue {
      context?.writeAndFlush(wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))))
        .assumeIsolated().whenComplete { _ in }
    }
  }

  private func takeBody(_ head: HTTPRequestHead, _ part: ByteBuffer) {
    do throws(HTTPRefusal) {
      bodyBytes += part.readableBytes
      try gate.checkBody(ofSize: bodyBytes)
      guard let part = part.withUnsafeReadableBytes({ ClearedBytes($0) }) else { throw .noMemory }
      body.append(part)
    } catch {
      dropBody()
      refuse(error, head)
    }
  }

  private func dropBody() {
    body = []
    bodyBytes = 0
  }

  private func perform(_ action: HTTPAction) {
    state = .waitingForHead
    switch action {
    case .none: break
    case .document(let head):
      let text = service.document?() ?? ""
      respond(.ok, [("Content-Type", "application/json")], ByteBuffer(string: text), isLast: head.isLast, head.version)
    case .events(let head): stream(head) { [service] in service.events?.events(after: $0) }
    case .log(let level, let head): stream(head) { [service] in await service.log?.lines(from: level, after: $0) }
    case .file(let file, let head):
      let fields = [("Content-Type", file.contentType)] + PageFiles.fields
      respond(.ok, fields, ByteBuffer(bytes: file.bytes), isLast: head.isLast, head.version)
    }
  }
}

// MARK: - Work

extension HTTPChannelHandler {
  private func work(_ head: HTTPRequestHead) {
    stopTimer()
    guard let eventLoop = context?.eventLoop else { return }
    let message = body
    dropBody()
    let awake = awake
    let exchange = ScriptExchange(
      service.makeHandler(nil), limits: service.limits, on: eventLoop,
      wake: { eventLoop.execute { awake.value?.resume() } }, didReturn: { awake.value?.goOn() })
    state = .working(exchange, head)
    exchange.begin(message)
    if isClosing { exchange.endOfInput() }
    finishWork()
  }

  private func resume() {
    guard case .working(let exchange, _) = state else { return }
    exchange.resume()
    goOn()
  }

  private func goOn() {
    finishWork()
    if context == nil { leaveWhenFinished() } else { advance() }
  }

  func finishWork() {
    guard case .working(let exchange, let head) = state, exchange.isFinished, context != nil else { return }
    state = .waitingForHead
    if let reply = exchange.reply {
      respond(.ok, [("Content-Type", "application/json")], reply, isLast: head.isLast, head.version)
    } else {
      respond(.noContent, [], nil, isLast: head.isLast, head.version)
    }
  }
}

// MARK: - The end

extension HTTPChannelHandler {
  /// The peer sends no more data, but may still read. A peer that is gone looks the same, so work that only waits must
  /// not keep the connection open.
  func peerDidEnd() {
    switch state {
    case .working(let exchange, _): exchange.endOfInput()
    case .streaming(let task):
      task.cancel()
      if let context { end(context) }
    case .takingBody, .waitingForEnd: if let context { end(context) }
    default: break
    }
  }

  func serverDidEnd() {
    switch state {
    case .working(let exchange, _): exchange.endOfInput()
    case .streaming(let task): task.cancel()
    case .takingBody: refuse(.shuttingDown)
    default: break
    }
  }

  /// Answers unfinished work with -32002.
  func abandon() {
    switch state {
    case .working(let exchange, _):
      exchange.abandon()
      finishWork()
      leaveWhenAbandoned()
    case .streaming(let task):
      task.cancel()
      context?.close(promise: nil)
    default: if let context { end(context) }
    }
  }

  private func leaveWhenAbandoned() {
    if context == nil { leaveWhenFinished() }
  }
}
