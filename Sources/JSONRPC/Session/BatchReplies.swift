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
  let message: [UInt8]
  let replies = BatchReplies()
  /// Requests that were cancelled before they began.
  var cancelled: [RequestID]
  private let elements: [Envelope]
  private var next = 0

  init(_ message: UnsafeBufferPointer<UInt8>, _ elements: [Envelope], cancelled: [RequestID]) {
    self.message = Array(message)
    self.elements = elements
    self.cancelled = cancelled
  }

  mutating func takeNext() -> Envelope? {
    guard next < elements.count else { return nil }
    next += 1
    return elements[next - 1]
  }

  /// Whether a request that has not begun has this id.
  func isWaiting(_ id: RequestID) -> Bool {
    message.withUnsafeBufferPointer { message in
      elements[next...].contains { $0.requestID(in: message) == id }
    }
  }
}

extension Envelope {
  /// Nil for all but requests.
  func requestID(in message: UnsafeBufferPointer<UInt8>) -> RequestID? {
    if case .request(_, let id) = self { RequestID(id, in: message) } else { nil }
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
