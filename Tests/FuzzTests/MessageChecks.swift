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

/// What valid JSON may hold and jansson has no value for; it leaves such a text unread.
private let unrepresentable = [
  "duplicate object key", "real number overflow", "too big integer", "too big negative integer", "invalid Unicode",
  "NUL byte in object key not supported",
]

/// jansson takes and refuses the same texts, and its tree says the same about the envelope.
func checkAgreement(_ scanned: ScannedMessage, with message: [UInt8]) {
  do throws(JSONParseError) {
    let value = try JSONValue(parsing: message)
    checkAgreement(scanned, with: value)
  } catch {
    if case .failure = scanned { return }
    check(unrepresentable.contains { error.message.hasPrefix($0) }, "jansson alone refuses: \(error)")
  }
}

private func checkAgreement(_ scanned: ScannedMessage, with value: JSONValue) {
  switch scanned {
  case .single(let envelope): checkAgreement(envelope, with: value)
  case .batch(let elements):
    let values = value.arrayValue ?? []
    check(values.count == elements.count, "a batch of \(elements.count) that jansson reads as \(values.count)")
    for (element, value) in zip(elements, values) { checkAgreement(element, with: value) }
  case .failure(.syntax(let error)): check(false, "the scanner alone refuses: \(error)")
  case .failure(.limit): break
  }
}

private func checkAgreement(_ envelope: Envelope, with value: JSONValue) {
  if case .invalid(let invalid) = envelope, invalid.reason == .idTooLong { return }
  check(Kind(envelope) == Kind(value), "\(envelope) is not \(Kind(value))")
}

/// What an envelope is, by PROTOCOL's rules over a tree.
private enum Kind {
  case request, notification, response, invalid

  init(_ envelope: Envelope) {
    self =
      switch envelope {
      case .request: .request
      case .notification: .notification
      case .response: .response
      case .invalid: .invalid
      }
  }

  init(_ value: JSONValue) {
    let (id, method, params) = (value["id"], value["method"], value["params"])
    guard value["jsonrpc"] == "2.0", Self.isIdentifier(id ?? .null) else {
      self = .invalid
      return
    }
    guard method != nil else {
      self = value["result"] != nil || value["error"] != nil ? .response : .invalid
      return
    }
    let hasCall = method?.stringValue != nil && (params == nil || params == .null || params?.isContainer == true)
    self = !hasCall ? .invalid : id == nil ? .notification : .request
  }

  private static func isIdentifier(_ id: JSONValue) -> Bool { id.boolValue == nil && !id.isContainer }
}

extension JSONValue {
  fileprivate var isContainer: Bool { arrayValue != nil || objectValue != nil }
}
