import CGlibc

/// The notification `$/cancelRequest {"id": …}`.
enum CancelRequest {
  static let method = "$/cancelRequest"

  /// The id in a message that is this notification and nothing else; nil for any other message.
  static func id(in message: UnsafeBufferPointer<UInt8>, limits: ScanLimits) -> RequestID? {
    guard mayBeOne(message), case .single(.notification(let call)) = ScannedMessage.scan(message, limits: limits),
      call.method.text(in: message) == method
    else { return nil }
    return id(in: call, message)
  }

  /// Nil when the params are not as they should be. Their one member is where an envelope has its id, and is read as such.
  static func id(in call: Envelope.Call, _ message: UnsafeBufferPointer<UInt8>) -> RequestID? {
    guard let params = call.params.map({ message.part($0) }),
      case .single(.invalid(let envelope)) = ScannedMessage.scan(params), let id = envelope.id
    else { return nil }
    return RequestID(id, in: params)
  }

  /// Cheap, and true for all that are one in plain writing.
  private static func mayBeOne(_ message: UnsafeBufferPointer<UInt8>) -> Bool {
    message.count < 2048 && cglibc_find(message.baseAddress, message.count, "cancelRequest", 13) != nil
  }
}
