/// The id of a request as it was written: echoed byte for byte.
struct RequestID {
  let text: [UInt8]

  static let null = RequestID(text: Array("null".utf8))

  private init(text: [UInt8]) {
    self.text = text
  }

  /// Null where the message has no valid one.
  init(_ span: Range<Int>?, in message: UnsafeBufferPointer<UInt8>) {
    text = span.map { Array(message.part($0)) } ?? Self.null.text
  }
}

/// A request that waits for its work.
struct PendingRequest {
  let ticket: Int
  /// Nil for a notification.
  let id: RequestID?
  let task: Task<Void, Never>
}
