/// The id of a request as it was written: echoed, and compared, byte for byte.
struct RequestID: Equatable {
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
