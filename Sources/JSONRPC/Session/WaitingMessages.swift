/// What has been read while a request was still waiting for its work, in order.
struct WaitingMessages {
  enum Message {
    case bytes([UInt8])
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
      messages.append(.bytes(Array(bytes)))
      byteCount += bytes.count
    case .failure(let failure): messages.append(.failure(failure))
    case .closed: break
    }
  }

  mutating func takeFirst() -> Message? {
    guard next < messages.count else { return nil }
    let message = messages[next]
    messages[next] = .bytes([])
    next += 1
    if case .bytes(let bytes) = message { byteCount -= bytes.count }
    compactWhenWorthIt()
    return message
  }

  mutating func removeAll() {
    messages.removeAll()
    next = 0
    byteCount = 0
  }

  /// So that a host which always has something waiting does not make the list grow without end.
  private mutating func compactWhenWorthIt() {
    guard next == messages.count || next > 64 && next > messages.count / 2 else { return }
    messages.removeSubrange(..<next)
    next = 0
  }
}
