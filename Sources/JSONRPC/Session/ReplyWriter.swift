import JSON

/// Writes one reply after the other as text, into a buffer that it keeps.
struct ReplyWriter {
  private var writer = JSONWriter()

  var bytes: [UInt8] { writer.bytes }

  /// Whether `body` wrote the result; what stands in the buffer when it did not is of no meaning.
  mutating func result(
    id: RequestID, _ body: (inout JSONWriter) throws(RPCError) -> Bool
  ) throws(RPCError) -> Bool {
    begin(id)
    writer.name("result")
    guard try body(&writer) else { return false }
    writer.endObject()
    return true
  }

  /// `text` is the JSON text of the result.
  mutating func result(id: RequestID, text: [UInt8]) {
    begin(id)
    writer.name("result")
    writer.raw(text)
    writer.endObject()
  }

  mutating func error(id: RequestID, _ error: RPCError) {
    begin(id)
    writer.name("error")
    error.encode(to: &writer)
    writer.endObject()
  }

  private mutating func begin(_ id: RequestID) {
    writer.reset()
    writer.beginObject()
    writer.name("jsonrpc")
    writer.raw("\"2.0\"")
    writer.name("id")
    writer.raw(id.text)
  }
}
