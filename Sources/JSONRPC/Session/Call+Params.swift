import JSON

extension Envelope.Call {
  /// The params by jansson, long strings aside. What the grammar allows and no value can hold is an error with its
  /// place: a name given twice, 1e400, an integer beyond 64 bits, a lone surrogate, NUL in a name.
  /// What is returned is valid as long as the message is.
  package func parsedParams(in message: UnsafeBufferPointer<UInt8>) throws(RPCError) -> JSONNode? {
    guard let params else { return nil }
    let text = message.part(params)
    do throws(JSONParseError) {
      return try JSONDocument(scanned: UnsafeRawBufferPointer(text)).root
    } catch {
      if error.isLackOfMemory { throw .outOfMemory }
      let path = JSONPointer.path(ofByteOffset: max(0, error.offset - 1), in: text)
      throw RPCError(
        .invalidParams, "\(path.isEmpty ? "params" : path) cannot be represented: \(error.message)",
        details: ["path": .string(path)])
    }
  }
}
