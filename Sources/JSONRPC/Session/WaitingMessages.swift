/// What has been read while a request was still waiting for its work, in order.
struct WaitingMessages {
  enum Message {
    /// With the ids of requests in it that were cancelled meanwhile.
    case bytes([UInt8], cancelled: [RequestID])
    case failure(FramingFailure)
  }

  private var messages: [Message] = []
  private var next = 0
  private var byteCount = 0

  var isEmpty: Bool { next == messages.count }

  func isFull(_ limits: SessionLimits) -> Bool {
    messages.count &- next >= limits.waitingRequests || byteCount >= limits.waitingBytes
  }

  mutating func append(_ event: FrameEvent) {
    switch event {
    case .message(let bytes):
      messages.append(.bytes(Array(bytes), cancelled: []))
      byteCount += bytes.count
    case .failure(let failure): messages.append(.failure(failure))
    case .closed: break
    }
  }

  mutating func takeFirst() -> Message? {
    guard next < messages.count else { return nil }
    let message = messages[next]
    messages[next] = .bytes([], cancelled: [])
    next += 1
    if case .bytes(let bytes, _) = message { byteCount -= bytes.count }
    compactWhenWorthIt()
    return message
  }

  /// Takes out the single requests with this id, and marks it in batches. How many were taken out.
  mutating func cancel(_ id: RequestID, limits: ScanLimits) -> Int {
    let count = messages.count
    var kept = Array(messages[..<next])
    for message in messages[next...] {
      guard case .bytes(let bytes, let cancelled) = message else {
        kept.append(message)
        continue
      }
      switch bytes.withUnsafeBufferPointer({ ScannedMessage.scan($0, limits: limits).mention(id, in: $0) }) {
      case .alone: byteCount -= bytes.count
      case .inBatch: kept.append(.bytes(bytes, cancelled: cancelled + [id]))
      case .none: kept.append(message)
      }
    }
    messages = kept
    return count - kept.count
  }

  /// So that a host which always has something waiting does not make the list grow without end.
  private mutating func compactWhenWorthIt() {
    guard next == messages.count || next > 64 && next > messages.count / 2 else { return }
    messages.removeSubrange(..<next)
    next = 0
  }
}

extension ScannedMessage {
  fileprivate enum Mention { case alone, inBatch, none }

  /// Whether a request with this id is in it.
  fileprivate func mention(_ id: RequestID, in message: UnsafeBufferPointer<UInt8>) -> Mention {
    switch self {
    case .single(let envelope): envelope.requestID(in: message) == id ? .alone : .none
    case .batch(let elements): elements.contains { $0.requestID(in: message) == id } ? .inBatch : .none
    case .failure: .none
    }
  }
}
