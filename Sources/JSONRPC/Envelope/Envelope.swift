/// What one message, or one element of a batch, is. Every span is an offset range into the scanned message.
package enum Envelope: Hashable, Sendable {
  /// To be answered once; the span of its id is echoed byte for byte. `"id":null` is a request too.
  case request(Call, id: Range<Int>)
  /// Never answered, not even when it fails.
  case notification(Call)
  /// Never answered; dropped when nobody waits for its id.
  case response(Response)
  /// Answered with -32600 and the id, null where there is none to echo.
  case invalid(InvalidRequest)

  /// A method and its params.
  package struct Call: Hashable, Sendable {
    package let method: StringSpan
    /// Of an object or an array; nil when the member is missing.
    package let params: Range<Int>?
  }

  /// An answer to a request of ours. One of `result` and `error` is there, or, from a careless peer, both.
  package struct Response: Hashable, Sendable {
    /// Of a string, a number or null; nil when the member is missing.
    package let id: Range<Int>?
    package let result: Range<Int>?
    package let error: Range<Int>?
  }
}

/// Why an envelope cannot be acted on; -32600 on the wire.
package struct InvalidRequest: Hashable, Sendable {
  package enum Reason: String, Sendable {
    case notAnObject = "the message is not an object"
    case emptyBatch = "the batch is empty"
    case duplicateMember = "a member of the envelope is there twice"
    case idType = "the id is not a string, a number or null"
    case idTooLong = "the id is too long"
    case version = "jsonrpc is not \"2.0\""
    case methodMissing = "there is no method"
    case methodType = "the method is not a string"
    case paramsType = "params is not an object or an array"
  }

  package let reason: Reason
  /// The one valid id of the object; nil is written as null.
  package let id: Range<Int>?
}
