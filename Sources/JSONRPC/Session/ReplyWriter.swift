import JSON

/// Writes one reply after the other as text, into a buffer that it keeps. The frame of a reply is always the same, and
/// goes past the writer's care for commas and quotes.
struct ReplyWriter {
  private var writer = JSONWriter()

  var bytes: [UInt8] { writer.bytes }

  /// Whether `body` wrote the result; what stands in the buffer when it did not is of no meaning.
  mutating func result(
    id: RequestID, _ body: (inout JSONWriter) throws(RPCError) -> Bool
  ) throws(RPCError) -> Bool {
    begin(id, ",\"result\":")
    guard try body(&writer) else { return false }
    append("}")
    return true
  }

  /// `text` is the JSON text of the result.
  mutating func result(id: RequestID, text: [UInt8]) {
    beginResult(id: id)
    writer.bytes += text
    append("}")
  }

  /// What stands before a result; `tail` stands behind it.
  mutating func beginResult(id: RequestID) { begin(id, ",\"result\":") }

  static let tail = [UInt8(ascii: "}")]

  mutating func error(id: RequestID, _ error: RPCError) {
    begin(id, ",\"error\":")
    error.encode(to: &writer)
    append("}")
  }

  private mutating func begin(_ id: RequestID, _ member: StaticString) {
    writer.reset()
    append("{\"jsonrpc\":\"2.0\",\"id\":")
    writer.bytes += id.text
    append(member)
  }

  private mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { writer.bytes.append(contentsOf: $0) }
  }
}
