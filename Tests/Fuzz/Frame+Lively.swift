import JSON
import JSONRPC

extension Frame {
  /// Whether what comes of it depends on time: handshake, cancel, deadline, and methods that wait or ask.
  func isLively(_ limits: ScanLimits) -> Bool {
    guard case .message(let bytes) = self else { return false }
    return bytes.withUnsafeBufferPointer { message in
      switch ScannedMessage.scan(message, limits: limits) {
      case .single(let envelope): envelope.isLively(in: message)
      case .batch(let elements): elements.contains { $0.isLively(in: message) }
      case .failure: false
      }
    }
  }
}

extension Envelope {
  fileprivate func isLively(in message: UnsafeBufferPointer<UInt8>) -> Bool {
    switch self {
    case .request(let call, _), .notification(let call): call.isLively(in: message)
    case .response, .invalid: false
    }
  }
}

extension Envelope.Call {
  fileprivate func isLively(in message: UnsafeBufferPointer<UInt8>) -> Bool {
    let name = method.text(in: message)
    if name == Session.handshake || name == "$/cancelRequest" || Lively(rawValue: name) != nil { return true }
    guard let params, let text = try? JSONDocument(parsing: UnsafeRawBufferPointer(message.part(params))) else {
      return false
    }
    return text.root.member(reservedParamName) != nil
  }
}
