import JSONRPC

/// Whom a reply is for: the text of one id, or of each in a batch.
struct ReplyIDs: Equatable {
  let isBatch: Bool
  let ids: [[UInt8]]

  /// Those of a batch in brackets.
  var text: String {
    let text = ids.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    return isBatch ? "[\(text)]" : text
  }
}

struct Reply {
  let bytes: [UInt8]
  let ids: ReplyIDs

  var text: String { ids.text }
}

/// Takes the output of a session apart with its own decoder and scanner: every message must be a response with exactly
/// one of result and error, a batch of them, or one of the session's own, which are left out.
func parseReplies(_ output: [UInt8]) -> [Reply] {
  frames(of: output[...], limits: SessionLimits()).dropLast().compactMap { frame in
    guard case .message(let bytes) = frame else { fail("\(frame) in the output") }
    return bytes.withUnsafeBufferPointer(replyIDs(in:)).map { Reply(bytes: bytes, ids: $0) }
  }
}

private func replyIDs(in bytes: UnsafeBufferPointer<UInt8>) -> ReplyIDs? {
  switch ScannedMessage.scan(bytes, limits: ScanLimits(nesting: 600, batch: .max)) {
  case .single(.notification), .single(.request): return nil
  case .single(let envelope): return ReplyIDs(isBatch: false, ids: [id(of: envelope, in: bytes)])
  case .batch(let elements): return ReplyIDs(isBatch: true, ids: elements.map { id(of: $0, in: bytes) })
  case .failure(let failure): fail("unreadable output: \(failure): \(String(decoding: bytes, as: UTF8.self))")
  }
}

private func id(of envelope: Envelope, in bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
  guard case .response(let response) = envelope, let id = response.id else {
    fail("output that is no response: \(String(decoding: bytes, as: UTF8.self))")
  }
  check((response.result == nil) != (response.error == nil), "not one of result and error")
  return Array(bytes.part(id))
}

/// Nil where the frame gets no reply.
func expectedReply(to frame: Frame, limits: ScanLimits) -> ReplyIDs? {
  switch frame {
  case .message(let bytes): bytes.withUnsafeBufferPointer { expectedReply(to: $0, limits) }
  case .failure: .nobody
  case .closed: nil
  }
}

private func expectedReply(to message: UnsafeBufferPointer<UInt8>, _ limits: ScanLimits) -> ReplyIDs? {
  switch ScannedMessage.scan(message, limits: limits) {
  case .single(let envelope):
    return answeredID(of: envelope, in: message).map { ReplyIDs(isBatch: false, ids: [$0]) }
  case .batch(let elements):
    let ids = elements.compactMap { answeredID(of: $0, in: message) }
    return ids.isEmpty ? nil : ReplyIDs(isBatch: true, ids: ids)
  case .failure(.syntax): return .nobody
  case .failure(.limit(_, let id)):
    return id.map { ReplyIDs(isBatch: false, ids: [Array(message.part($0))]) } ?? .nobody
  }
}

private func answeredID(of envelope: Envelope, in message: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
  switch envelope {
  case .request(_, let id): Array(message.part(id))
  case .invalid(let invalid): invalid.id.map { Array(message.part($0)) } ?? ReplyIDs.null
  case .notification, .response: nil
  }
}

extension ReplyIDs {
  fileprivate static let null = Array("null".utf8)
  fileprivate static let nobody = ReplyIDs(isBatch: false, ids: [null])
}
