/// The notification `$/cancelRequest {"id": …}`.
enum CancelRequest {
  static let method = "$/cancelRequest"

  /// Nil when the params are not as they should be. Their one member is where an envelope has its id, and is read as such.
  static func id(in call: Envelope.Call, _ message: UnsafeBufferPointer<UInt8>) -> RequestID? {
    guard let params = call.params.map({ message.part($0) }),
      case .single(.invalid(let envelope)) = ScannedMessage.scan(params), let id = envelope.id
    else { return nil }
    return RequestID(id, in: params)
  }
}
