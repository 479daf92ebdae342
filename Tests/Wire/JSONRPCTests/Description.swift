import JSONRPC

/// A scanned message in words, so that a table can state what is expected.
func described(_ text: String, limits: ScanLimits = ScanLimits()) -> String {
  Array(text.utf8).withUnsafeBufferPointer { bytes in
    switch ScannedMessage.scan(bytes, limits: limits) {
    case .single(let envelope): described(envelope, in: bytes)
    case .batch(let elements): "[" + elements.map { described($0, in: bytes) }.joined(separator: "; ") + "]"
    case .failure(.syntax): "syntax"
    case .failure(.limit(let excess, let id)): "limit \(excess.name) \(excess.value) id=\(part(id, bytes) ?? "-")"
    }
  }
}

private func described(_ envelope: Envelope, in bytes: UnsafeBufferPointer<UInt8>) -> String {
  switch envelope {
  case .request(let call, let id): "request \(described(call, in: bytes)) id=\(part(id, bytes) ?? "-")"
  case .notification(let call): "notification \(described(call, in: bytes))"
  case .response(let response):
    "response id=\(part(response.id, bytes) ?? "-") result=\(part(response.result, bytes) ?? "-")"
      + " error=\(part(response.error, bytes) ?? "-")"
  case .invalid(let invalid): "invalid \(invalid.reason) id=\(part(invalid.id, bytes) ?? "-")"
  }
}

private func described(_ call: Envelope.Call, in bytes: UnsafeBufferPointer<UInt8>) -> String {
  "\(call.method.text(in: bytes)) \(part(call.params, bytes) ?? "-")"
}

private func part(_ range: Range<Int>?, _ bytes: UnsafeBufferPointer<UInt8>) -> String? {
  range.map { String(decoding: bytes.part($0), as: UTF8.self) }
}
