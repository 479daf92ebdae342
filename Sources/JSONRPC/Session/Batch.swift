/// A batch that is being answered: its elements run one after the other, its replies become one array.
struct Batch {
  /// A copy: elements may have to wait for work.
  let message: [UInt8]
  private let elements: [Envelope]
  private var next = 0
  private var replies: [UInt8] = []

  init(_ message: UnsafeBufferPointer<UInt8>, _ elements: [Envelope]) {
    self.message = Array(message)
    self.elements = elements
  }

  mutating func takeNext() -> Envelope? {
    guard next < elements.count else { return nil }
    next += 1
    return elements[next - 1]
  }

  mutating func add(reply: [UInt8]) {
    replies.append(UInt8(ascii: replies.isEmpty ? "[" : ","))
    replies += reply
  }

  var replyBytes: Int { replies.count }

  /// The end of the array; nil when no element was a request: a batch of notifications gets nothing.
  consuming func array() -> [UInt8]? {
    guard !replies.isEmpty else { return nil }
    replies.append(UInt8(ascii: "]"))
    return replies
  }
}
