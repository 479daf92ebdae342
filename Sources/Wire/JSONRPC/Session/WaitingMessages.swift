import Support

/// A message that was read but may not start yet. Taken apart once, so that a cancel only compares ids.
struct WaitingMessage {
  /// `nil` if the bytes are not a message.
  private let message: ClearedBytes?
  let content: Result<ScannedMessage, FramingFailure>
  /// Requests of a batch that must not start.
  private(set) var cancelled: [RequestID] = []

  /// `nil` if the system has no memory.
  init?(_ bytes: UnsafeBufferPointer<UInt8>, _ scanned: ScannedMessage) {
    guard let message = ClearedBytes(UnsafeRawBufferPointer(bytes)) else { return nil }
    self.message = message
    content = .success(scanned)
  }

  init(_ failure: FramingFailure) {
    message = nil
    content = .failure(failure)
  }

  var byteCount: Int { message?.count ?? 0 }

  func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    message?.withBytes(body) ?? body(UnsafeBufferPointer(start: nil, count: 0))
  }

  /// Each element of a batch counts as one.
  var requestCount: Int {
    if case .success(.batch(let elements)) = content { elements.count } else { 1 }
  }

  /// Whether it is the single request with this id.
  func isRequest(_ id: RequestID) -> Bool {
    guard case .success(.single(let envelope)) = content else { return false }
    return withBytes { envelope.isRequest(id, in: $0) }
  }

  /// Marks the requests with this id in a batch.
  mutating func cancelElements(_ id: RequestID) {
    guard case .success(.batch(let elements)) = content, !cancelled.contains(id) else { return }
    let isThere = withBytes { bytes in elements.contains { $0.isRequest(id, in: bytes) } }
    if isThere { cancelled.append(id) }
  }
}

/// Messages that were read while a request was waiting for its work, in order.
struct WaitingMessages {
  private var messages: [WaitingMessage] = []
  private var next = 0
  private var byteCount = 0
  private var requestCount = 0

  var isEmpty: Bool { next == messages.count }

  func isFull(_ limits: SessionLimits) -> Bool {
    requestCount >= limits.waitingRequests || byteCount >= limits.waitingBytes
  }

  /// The size of the first message; `nil` if there is none.
  var firstByteCount: Int? { isEmpty ? nil : messages[next].byteCount }

  mutating func append(_ message: WaitingMessage) {
    messages.append(message)
    byteCount += message.byteCount
    requestCount += message.requestCount
  }

  mutating func takeFirst() -> WaitingMessage? {
    guard next < messages.count else { return nil }
    let message = messages[next]
    messages[next] = WaitingMessage(.truncated)
    next += 1
    forget(message)
    if isEmpty || next > 64 && next > messages.count / 2 { dropTaken() }
    return message
  }

  /// Removes single requests with this id, and marks those in batches. Returns how many were removed.
  mutating func cancel(_ id: RequestID) -> Int {
    dropTaken()
    let found = messages.filter { $0.isRequest(id) }
    if !found.isEmpty { messages.removeAll { $0.isRequest(id) } }
    for message in found { forget(message) }
    for index in messages.indices { messages[index].cancelElements(id) }
    return found.count
  }

  private mutating func forget(_ message: WaitingMessage) {
    byteCount -= message.byteCount
    requestCount -= message.requestCount
  }

  /// Keeps the list from growing without limit while a host always has something waiting.
  private mutating func dropTaken() {
    messages.removeSubrange(..<next)
    next = 0
  }
}
