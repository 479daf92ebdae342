import Support

/// The replies to a batch, in the order of its requests, until the last one is there.
final class BatchReplies {
  private var replies: [[UInt8]?] = []
  private var missing = 0
  private(set) var byteCount = 0

  /// The place of the next request's reply.
  func addPlace() -> Int {
    replies.append(nil)
    missing += 1
    return replies.count - 1
  }

  func set(_ reply: [UInt8], at place: Int) {
    guard replies[place] == nil else { return }
    replies[place] = reply
    missing -= 1
    byteCount += reply.count
  }

  var isComplete: Bool { missing == 0 }

  /// Nil when no element was a request: a batch of notifications gets nothing.
  var array: [UInt8]? {
    guard !replies.isEmpty else { return nil }
    var array: [UInt8] = []
    array.reserveCapacity(byteCount + replies.count + 1)
    for reply in replies {
      array.append(UInt8(ascii: array.isEmpty ? "[" : ","))
      array += reply ?? []
    }
    array.append(UInt8(ascii: "]"))
    return array
  }
}

/// A batch whose elements are being begun, one after the other.
struct BatchRun {
  /// A copy: elements may have to wait for work.
  let message: ClearedBytes
  let replies = BatchReplies()
  private let elements: [Envelope]
  private var next = 0
  /// Requests that were cancelled before they began.
  private var cancelled: [RequestID]

  /// Nil when the system has no memory for it.
  init?(_ message: UnsafeBufferPointer<UInt8>, _ elements: [Envelope], cancelled: [RequestID]) {
    guard let message = ClearedBytes(UnsafeRawBufferPointer(message)) else { return nil }
    self.message = message
    self.elements = elements
    self.cancelled = cancelled
  }

  mutating func takeNext() -> Envelope? {
    guard next < elements.count else { return nil }
    next += 1
    return elements[next - 1]
  }

  /// Of the requests that have not begun.
  mutating func cancel(_ id: RequestID) {
    guard !cancelled.contains(id) else { return }
    let isWaiting = message.withBytes { message in
      elements[next...].contains { $0.isRequest(id, in: message) }
    }
    if isWaiting { cancelled.append(id) }
  }

  /// The id of a request that was cancelled; nil for all others.
  func cancelledID(of envelope: Envelope, in message: UnsafeBufferPointer<UInt8>) -> RequestID? {
    cancelled.first { envelope.isRequest($0, in: message) }
  }
}

extension Envelope {
  /// Whether it is a request, and has this id, byte for byte.
  func isRequest(_ id: RequestID, in message: UnsafeBufferPointer<UInt8>) -> Bool {
    guard case .request(_, let span) = self, span.count == id.text.count else { return false }
    return message.part(span).elementsEqual(id.text)
  }
}

/// Where the reply to a request goes. Without a batch: to the host, by itself.
struct ReplyPlace {
  /// Nil for a notification, which has no reply.
  let id: RequestID?
  let batch: BatchReplies?
  private let index: Int

  init(_ id: RequestID?, in batch: BatchReplies?) {
    self.id = id
    self.batch = batch
    index = id == nil ? 0 : batch?.addPlace() ?? 0
  }

  func fill(_ reply: [UInt8]) {
    batch?.set(reply, at: index)
  }
}
