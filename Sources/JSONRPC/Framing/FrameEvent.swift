/// What the bytes of a connection amount to.
package enum FrameEvent {
  /// One message, maybe empty, not looked into; valid until the decoder is called again.
  case message(UnsafeBufferPointer<UInt8>)
  /// To be answered with one error with id null.
  case failure(FramingFailure)
  /// No message comes any more. Comes once, as the last event.
  case closed
}

/// Why bytes are not a message.
package enum FramingFailure: Error, Hashable {
  /// The header block is not what the framing allows; all that follows is lost.
  case header
  /// The input ended inside a header block or a message.
  case truncated
  /// A message over the limit; the stream goes on behind it.
  case tooLong(LimitExcess)
  /// The system has no memory for a message within the limit; the stream goes on behind it, unless what is lost holds
  /// more than one message.
  case outOfMemory

  package var code: RPCErrorCode {
    switch self {
    case .header, .truncated: .parseError
    case .tooLong: .limitExceeded
    case .outOfMemory: .internalError
    }
  }

  /// One line for people.
  package var message: String {
    switch self {
    case .header: "the header block is not Content-Length with an optional Content-Type in UTF-8"
    case .truncated: "the input ended inside a message"
    case .tooLong(let excess): "the message is longer than \(excess.value) bytes"
    case .outOfMemory: "the system is out of memory for the message"
    }
  }
}
