import JSON
import Support

extension Session {
  func answer(_ envelope: Envelope, in message: UnsafeBufferPointer<UInt8>, batch: BatchReplies?) {
    switch envelope {
    case .request(let call, let id):
      perform(call, ReplyPlace(RequestID(id, in: message), in: batch), in: message)
    case .notification(let call): notice(call, in: message)
    case .response(let response): inbox.take(response, in: message)
    case .invalid(let reason):
      let place = ReplyPlace(RequestID(reason.id, in: message), in: batch)
      send(RPCError(.invalidRequest, reason.reason.rawValue), to: place)
    }
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
        guard calls.isEmpty else { return heldHandshake = Array(message) }
      }
      let params = try call.parsedParams(in: message)
      let meta = try RequestMeta(of: params)
      var work: Work?
      let isWritten = try reply.result(id: place.id ?? .null) { writer throws(RPCError) in
        work = try handler.call(method, params, into: &writer)
        return work == nil
      }
      if isWritten { sendReply(to: place) }
      let ticket = try work.map { work throws(RPCError) in try start(work, place, meta) }
      if isHandshake { isWritten ? mode = .host : (handshakeCall = ticket) }
    } catch {
      send(error, to: place)
    }
  }

  private func checkHandshake(_ place: ReplyPlace) throws(RPCError) {
    if place.batch != nil { throw RPCError(.invalidRequest, "\(Self.handshake) cannot be part of a batch") }
    if mode == .host { throw RPCError(.invalidRequest, "\(Self.handshake) was answered before") }
  }

  /// A notification has no id, and no answer.
  func send(_ error: RPCError, to place: ReplyPlace) {
    guard let id = place.id else { return }
    reply.error(id: id, error)
    sendReply(to: place)
  }

  func sendReply(to place: ReplyPlace) {
    guard let id = place.id else { return }
    if (place.batch?.byteCount ?? 0) + reply.bytes.count > limits.replyBytes {
      reply.error(id: id, RPCError(LimitExcess(.reply, limits.replyBytes)))
    }
    guard let replies = place.batch else { return outbox.append(reply.bytes, framing: decoder.framing) }
    place.fill(reply.bytes)
    // While elements are still begun, the last of them sends the array.
    if replies.isComplete && batch?.replies !== replies { send(replies) }
  }

  func send(_ replies: BatchReplies) {
    if let array = replies.array { outbox.append(array, framing: decoder.framing) }
  }
}

extension SessionInbox {
  /// An answer of the host to a question of ours; one with an unknown id is dropped.
  fileprivate func take(_ response: Envelope.Response, in message: UnsafeBufferPointer<UInt8>) {
    guard let id = response.id, case .string(let text)? = try? value(id, in: message) else { return }
    if let error = response.error.flatMap({ try? value($0, in: message) }) {
      let code = error["code"]?.integerValue.flatMap(Int.init(exactly:)) ?? RPCErrorCode.internalError.rawValue
      answer(text, .failure(code: code, message: error["message"]?.stringValue ?? ""))
    } else if let result = response.result.flatMap({ try? value($0, in: message) }) {
      answer(text, .result(result))
    } else {
      answer(text, .unanswered)
    }
  }

  private func value(
    _ span: Range<Int>, in message: UnsafeBufferPointer<UInt8>
  ) throws(JSONParseError) -> JSONValue {
    try JSONValue(parsing: UnsafeRawBufferPointer(message.part(span)))
  }
}

extension ReplyPlace {
  /// By itself.
  static func alone(_ id: RequestID) -> ReplyPlace { ReplyPlace(id, in: nil) }
}
