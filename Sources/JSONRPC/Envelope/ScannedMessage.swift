/// A whole message, checked and taken apart.
package enum ScannedMessage: Hashable, Sendable {
  case single(Envelope)
  /// Answered with one array. Never empty: an empty batch is a single invalid request.
  case batch([Envelope])
  /// Answered with one error, never with an array; nothing of the message runs.
  case failure(ScanFailure)

  /// Checks `message` against the grammar and the limits, and takes the spans.
  ///
  /// The first limit that is passed names the error. A single object is then still walked to its end, so that the
  /// error carries the id wherever it stands; when the rest breaks the grammar, the id is null.
  package static func scan(
    _ message: UnsafeBufferPointer<UInt8>, limits: ScanLimits = ScanLimits()
  ) -> ScannedMessage {
    guard let base = message.baseAddress else {
      return .failure(.syntax(JSONSyntaxError(reason: .unexpectedEnd, offset: 0)))
    }
    var scanner = EnvelopeScanner(message, base: base, limits: limits)
    return scanner.scan()
  }
}

/// Why a message cannot be taken apart.
package enum ScanFailure: Error, Hashable {
  /// -32700, id null: what is not JSON is not an object.
  case syntax(JSONSyntaxError)
  /// -32004; `id` is the span of the one valid id where the message is an object, else nil, written as null.
  case limit(LimitExcess, id: Range<Int>?)

  package var code: RPCErrorCode {
    switch self {
    case .syntax: .parseError
    case .limit: .limitExceeded
    }
  }
}
