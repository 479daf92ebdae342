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
    if next == messages.count { removeAll() }
    return message
  }

  mutating func removeAll() {
    messages.removeAll()
    next = 0
    byteCount = 0
  }
}
