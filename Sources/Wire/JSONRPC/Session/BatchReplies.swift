import Support

/// Collects the replies to a batch, in the order of its requests.
final class BatchReplies {
  private var replies: [[UInt8]?] = []
  private var missing = 0
  private(set) var byteCount = 0

  /// The index of the next request's reply.
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

  /// `nil` if no element was a request: a batch of notifications gets no reply.
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

/// A batch whose elements are being started, one after another.
struct BatchRun {
  /// A copy, because elements may have to wait for work.
  let message: ClearedBytes
  let replies = BatchReplies()
  private let elements: [Envelope]
  private var next = 0
  /// Requests that were cancelled before they started.
  private var cancelled: [RequestID]

  /// `nil` if the system has no memory.
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

  /// Cancels requests that have not started.
  mutating func cancel(_ id: RequestID) {
    guard !cancelled.contains(id) else { return }
    let isWaiting = message.withBytes { message in
      elements[next...].contains { $0.isRequest(id, in: message) }
    }
    if isWaiting { cancelled.append(id) }
  }

  /// The id of a cancelled request; `nil` for any other envelope.
  func cancelledID(of envelope: Envelope, in message: UnsafeBufferPointer<UInt8>) -> RequestID? {
    cancelled.first { envelope.isRequest($0, in: message) }
  }
}

extension Envelope {
  /// Whether it is a request with this id, compared byte for byte.
  func isRequest(_ id: RequestID, in message: UnsafeBufferPointer<UInt8>) -> Bool {
    guard case .request(_, let span) = self, span.count == id.text.count else { return false }
    return message.part(span).elementsEqual(id.text)
  }
}

/// Where a reply goes: into a batch or, without one, directly to the host.
struct ReplyPlace {
  /// `nil` for a notification, which has no reply.
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
