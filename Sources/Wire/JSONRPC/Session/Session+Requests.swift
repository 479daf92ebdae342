import JSON
import Support

extension Session {
  func answer(_ envelope: Envelope, in message: UnsafeBufferPointer<UInt8>, batch: BatchReplies?) {
    switch envelope {
    case .request(let call, let id):
      perform(call, ReplyPlace(RequestID(id, in: message), in: batch), in: message)
    case .notification(let call): notice(call, in: message)
    case .response(let response): take(response, in: message)
    case .invalid(let reason):
      let place = ReplyPlace(RequestID(reason.id, in: message), in: batch)
      send(RPCError(.invalidRequest, reason.reason.rawValue), to: place)
    }
  }

  func take(_ response: Envelope.Response, in message: UnsafeBufferPointer<UInt8>) {
    if let stray = inbox.take(response, in: message) { handler.didDrop(stray) }
  }

  private func notice(_ call: Envelope.Call, in message: UnsafeBufferPointer<UInt8>) {
    let method = methodNames.name(call.method, in: message)
    if method == CancelRequest.method {
      if let id = CancelRequest.id(in: call, message) { cancel(id) }
    } else if method != Self.handshake {
      perform(call, ReplyPlace(nil, in: nil), in: message)
    }
  }

  func perform(_ call: Envelope.Call, _ place: ReplyPlace, in message: UnsafeBufferPointer<UInt8>) {
    guard !isAbandoned else { return send(RPCError(.shuttingDown), to: place) }
    let method = methodNames.name(call.method, in: message)
    let isHandshake = method == Self.handshake
    do throws(RPCError) {
      if isHandshake {
        try checkHandshake(place)
        guard calls.isEmpty else { return hold(message) }
      }
      let params = try call.parsedParams(in: message)
      let meta = try RequestMeta(of: params, call.params.map { message.part($0) })
      var work: Work?
      let isWritten = try reply.result(id: place.id ?? .null) { writer throws(RPCError) in
        work = try handler.call(method, params, into: &writer)
        return work == nil
      }
      if isWritten { sendReply(to: place) }
      if isHandshake && isWritten { mode = .host }
      if isWritten && method == Self.farewell { endBehindFarewell() }
      guard let work else { return }
      try start(work, of: method, place, meta, byteCount: call.params?.count ?? 0, isHandshake: isHandshake)
    } catch {
      send(place.id == nil ? error : hinting(error, at: method), to: place)
    }
  }

  private func hinting(_ error: RPCError, at method: String) -> RPCError {
    guard error.code == RPCErrorCode.methodNotFound.rawValue, error.details["hint"] == nil else {
      return hinting(error)
    }
    return error.with(hint: handler.hint(forUnknown: method))
  }

  /// Adds the handler's hint to the error of an exceeded limit.
  func hinting(_ error: RPCError) -> RPCError {
    guard error.code == RPCErrorCode.limitExceeded.rawValue, error.details["hint"] == nil,
      let limit = error.details["limit"]?.stringValue.flatMap(LimitName.init(rawValue:))
    else { return error }
    return error.with(hint: handler.hint(forExceeded: limit))
  }

  private var replyTooLong: RPCError { hinting(RPCError(LimitExcess(.reply, limits.replyBytes))) }

  /// Drops messages that were read already, so that the end does not depend on how the bytes arrived.
  private func endBehindFarewell() {
    waiting = WaitingMessages()
    endMessages()
  }

  private func checkHandshake(_ place: ReplyPlace) throws(RPCError) {
    if place.batch != nil { throw RPCError(.invalidRequest, "\(Self.handshake) cannot be part of a batch") }
    if mode == .host { throw RPCError(.invalidRequest, "\(Self.handshake) was answered before") }
  }

  /// Waits until nothing is in flight.
  private func hold(_ handshake: UnsafeBufferPointer<UInt8>) {
    let scanned = ScannedMessage.scan(handshake, limits: limits.scan)
    heldHandshake = WaitingMessage(handshake, scanned)
    if heldHandshake == nil { send(.outOfMemory, to: .alone(RequestID(scanned.id, in: handshake))) }
  }

  /// A notification has no id and gets no reply.
  func send(_ error: RPCError, to place: ReplyPlace) {
    guard let id = place.id else { return }
    reply.error(id: id, error)
    sendReply(to: place)
  }

  func sendReply(to place: ReplyPlace) {
    guard let id = place.id else { return }
    let size = (place.batch == nil ? 0 : batchBytes) + reply.bytes.count
    if size > limits.replyBytes {
      reply.error(id: id, replyTooLong)
    } else if place.batch != nil && !hasMemory(forBatch: size) {
      reply.error(id: id, .outOfMemory)
    }
    guard let replies = place.batch else { return outbox.append(reply.bytes, framing: framing) }
    place.fill(reply.bytes)
    batchBytes += reply.bytes.count
    // While elements are still being started, the last of them sends the array.
    if replies.isComplete && batch?.replies !== replies { send(replies) }
  }

  /// Whether there is memory to keep, join and queue the replies of a batch.
  private func hasMemory(forBatch size: Int) -> Bool {
    size < Self.longBytes || HeapMemory.hasRoom(forBytes: 3 * size)
  }

  /// `text` is the result as JSON text. A long result is not copied, unless it is part of a batch.
  func send(result text: [UInt8], to place: ReplyPlace) {
    guard let id = place.id else { return }
    guard place.batch == nil, text.count >= Outbox.pieceBytes else {
      reply.result(id: id, text: text)
      return sendReply(to: place)
    }
    reply.beginResult(id: id)
    guard reply.bytes.count + text.count + ReplyWriter.tail.count <= limits.replyBytes else {
      return send(replyTooLong, to: place)
    }
    outbox.append(head: reply.bytes, body: text, tail: ReplyWriter.tail, framing: framing)
  }

  func send(_ replies: BatchReplies) {
    batchBytes -= replies.byteCount
    guard HeapMemory.hasRoom(forBytes: 2 * replies.byteCount) else {
      return send(.outOfMemory, to: .alone(.null))
    }
    if let array = replies.array { outbox.append(array, framing: framing) }
  }
}

extension RPCError {
  fileprivate func with(hint: String?) -> RPCError {
    guard let hint else { return self }
    var error = self
    error.details["hint"] = .string(hint)
    return error
  }
}

extension ReplyPlace {
  /// A reply outside a batch.
  static func alone(_ id: RequestID) -> ReplyPlace { ReplyPlace(id, in: nil) }
}
