import JSON

/// What one message, or one element of a batch, is. Every span is an offset range into the scanned message.
package enum Envelope: Hashable, Sendable {
  /// To be answered once; the span of its id is echoed byte for byte. `"id":null` is a request too.
  case request(Call, id: Range<Int>)
  /// Never answered, not even when it fails.
  case notification(Call)
  /// Never answered; dropped when nobody waits for its id.
  case response(Response)
  /// Answered with -32600 and the id, null where there is none to echo.
  case invalid(InvalidRequest)

  /// A method and its params.
  package struct Call: Hashable, Sendable {
    package let method: StringSpan
    /// Of an object or an array; nil when the member is missing.
    package let params: Range<Int>?
  }

  /// An answer to a request of ours. One of `result` and `error` is there, or, from a careless peer, both.
  package struct Response: Hashable, Sendable {
    /// Of a string, a number or null; nil when the member is missing.
    package let id: Range<Int>?
    package let result: Range<Int>?
    package let error: Range<Int>?
  }
}

/// Why an envelope cannot be acted on; -32600 on the wire.
package struct InvalidRequest: Hashable, Sendable {
  package enum Reason: String, Sendable {
    case notAnObject = "the message is not an object"
    case emptyBatch = "the batch is empty"
    case duplicateMember = "a member of the envelope is there twice"
    case idType = "the id is not a string, a number or null"
    case idTooLong = "the id is too long"
    case version = "jsonrpc is not \"2.0\""
    case methodMissing = "there is no method"
    case methodType = "the method is not a string"
    case paramsType = "params is not an object or an array"
  }

  package let reason: Reason
  /// The one valid id of the object; nil is written as null.
  package let id: Range<Int>?
}

/// The members of an envelope that mean something; the raw value is the name, its first letter lowest.
enum EnvelopeMember: UInt64, CaseIterable {
  case id = 0x6469
  case method = 0x646F_6874_656D
  case params = 0x736D_6172_6170
  case jsonrpc = 0x63_7072_6E6F_736A
  case result = 0x746C_7573_6572
  case error = 0x72_6F72_7265

  /// A set with this member alone.
  @inline(__always)
  var bit: UInt8 {
    switch self {
    case .id: 1
    case .method: 2
    case .params: 4
    case .jsonrpc: 8
    case .result: 16
    case .error: 32
    }
  }
}

/// Short text as a number, for comparing without building a string.
enum PackedText {
  /// "2.0"
  static let version: UInt64 = 0x30_2E32

  /// The unescaped bytes of the inside of a string, the first one lowest; nil when it is longer than eight bytes or
  /// holds an escape for anything but an ASCII character: no name and no version here does.
  static func pack(_ content: UnsafeBufferPointer<UInt8>, hasEscapes: Bool) -> UInt64? {
    if hasEscapes { return packEscaped(content) }
    guard content.count <= 8 else { return nil }
    var packed: UInt64 = 0
    for byte in content.reversed() { packed = packed &<< 8 | UInt64(byte) }
    return packed
  }

  private static func packEscaped(_ content: UnsafeBufferPointer<UInt8>) -> UInt64? {
    var packed: UInt64 = 0
    var shift: UInt64 = 0
    var at = 0
    while at < content.count {
      guard shift < 64, let byte = nextByte(in: content, at: &at) else { return nil }
      packed |= UInt64(byte) &<< shift
      shift &+= 8
    }
    return packed
  }

  /// NUL is refused: it would vanish in the packed number.
  private static func nextByte(in content: UnsafeBufferPointer<UInt8>, at: inout Int) -> UInt8? {
    guard content[at] == ASCII.backslash else {
      defer { at &+= 1 }
      return content[at]
    }
    guard let unit = JSONUnescaping.codeUnit(in: content, at: &at), unit > 0, unit < 0x80 else { return nil }
    return UInt8(truncatingIfNeeded: unit)
  }
}

/// The id of a request as it was written: echoed, and compared, byte for byte.
struct RequestID: Equatable {
  let text: [UInt8]

  static let null = RequestID(text: Array("null".utf8))

  private init(text: [UInt8]) {
    self.text = text
  }

  /// Null where the message has no valid one.
  init(_ span: Range<Int>?, in message: UnsafeBufferPointer<UInt8>) {
    text = span.map { Array(message.part($0)) } ?? Self.null.text
  }
}

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
