import JSON
import JSONRPC

/// One message by itself: its spans lie inside, and jansson, which knows nothing of the scanner, agrees with it.
func checkMessage(_ message: [UInt8], limits: ScanLimits) {
  message.withUnsafeBufferPointer { bytes in
    let scanned = ScannedMessage.scan(bytes, limits: limits)
    switch scanned {
    case .single(let envelope): checkSpans(of: envelope, in: bytes)
    case .batch(let elements):
      check(!elements.isEmpty && elements.count <= limits.batch, "a batch of \(elements.count)")
      for element in elements { checkSpans(of: element, in: bytes) }
    case .failure(.syntax(let error)): check(0...bytes.count ~= error.offset, "a syntax error outside the message")
    case .failure(.limit(_, let id)): checkSpan(id, in: bytes)
    }
    checkAgreement(scanned, with: message)
  }
}

private func checkSpans(of envelope: Envelope, in bytes: UnsafeBufferPointer<UInt8>) {
  switch envelope {
  case .request(let call, let id):
    checkIsValue(id, in: bytes)
    checkSpans(of: call, in: bytes)
  case .notification(let call): checkSpans(of: call, in: bytes)
  case .response(let response):
    for span in [response.id, response.result, response.error] { checkIsValue(span, in: bytes) }
  case .invalid(let invalid): checkIsValue(invalid.id, in: bytes)
  }
}

private func checkSpans(of call: Envelope.Call, in bytes: UnsafeBufferPointer<UInt8>) {
  checkSpan(call.method.content, in: bytes)
  _ = call.method.text(in: bytes)
  checkIsValue(call.params, in: bytes)
}

private func checkSpan(_ span: Range<Int>?, in bytes: UnsafeBufferPointer<UInt8>) {
  guard let span else { return }
  check(span.lowerBound >= 0 && span.upperBound <= bytes.count, "a span outside the message")
}

/// Inside the message, and one JSON text: neither longer nor shorter than the value.
private func checkIsValue(_ span: Range<Int>?, in bytes: UnsafeBufferPointer<UInt8>) {
  guard let span else { return }
  checkSpan(span, in: bytes)
  check(!bytes.part(span).isEmpty, "a span of nothing")
  if case .failure(.syntax(let error)) = ScannedMessage.scan(bytes.part(span)) {
    check(false, "a span that is no value: \(error)")
  }
  let (first, last) = (bytes[span.lowerBound], bytes[span.upperBound - 1])
  check(first > 0x20 && last > 0x20, "a span with white space around the value")
}
