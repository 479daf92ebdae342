import JSON

/// Messages of ours to the host.
enum OutgoingMessage {
  /// `params` is JSON text.
  static func notification(_ method: String, _ params: [UInt8]) -> [UInt8] {
    message(method, params) { _ in }
  }

  static func request(_ id: String, _ method: String, _ params: [UInt8]) -> [UInt8] {
    message(method, params) { $0.member("id", id) }
  }

  private static func message(
    _ method: String, _ params: [UInt8], _ addID: (inout JSONWriter) -> Void
  ) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("jsonrpc", "2.0")
    addID(&writer)
    writer.member("method", method)
    writer.name("params")
    writer.raw(params)
    writer.endObject()
    return writer.bytes
  }
}
