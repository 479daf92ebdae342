import JSON

/// The kind of one message, or of one element of a batch. Every span is an offset range in the scanned message.
package enum Envelope: Hashable, Sendable {
  /// Must be answered once; the span of its id is echoed byte for byte. `"id":null` is a request, too.
  case request(Call, id: Range<Int>)
  /// Never answered, not even if it fails.
  case notification(Call)
  /// Never answered; dropped if nobody waits for its id.
  case response(Response)
  /// Answered with -32600 and its id, or null if there is no id to echo.
  case invalid(InvalidRequest)

  /// A method and its params.
  package struct Call: Hashable, Sendable {
    package let method: StringSpan
    /// The span of an object or array; `nil` if the member is missing or null.
    package let params: Range<Int>?
  }

  /// An answer to one of our requests. It has `result` or `error` or, from a careless peer, both.
  package struct Response: Hashable, Sendable {
    /// The span of a string, a number or null; `nil` if the member is missing.
    package let id: Range<Int>?
    package let result: Range<Int>?
    package let error: Range<Int>?
  }
}

/// The reason why an envelope is invalid; -32600 on the wire.
package struct InvalidRequest: Hashable, Sendable {
  package enum Reason: String, Sendable {
    case notAnObject = "the message is not an object"
    case emptyBatch = "the batch is empty"
    case duplicateMember = "a member of the message appears twice"
    case idType = "the id is not a string, a number or null"
    case idTooLong = "the id is too long"
    case version = "jsonrpc is not \"2.0\""
    case methodMissing = "the method is missing"
    case methodType = "the method is not a string"
    case paramsType = "params is not an object, an array or null"
  }

  package let reason: Reason
  /// The valid id of the object, if it has exactly one; `nil` is written as null.
  package let id: Range<Int>?
}

/// The members of an envelope that have a meaning. The raw value is the name, with the first letter in the lowest byte.
enum EnvelopeMember: UInt64, CaseIterable {
  case id = 0x6469
  case method = 0x646F_6874_656D
  case params = 0x736D_6172_6170
  case jsonrpc = 0x63_7072_6E6F_736A
  case result = 0x746C_7573_6572
  case error = 0x72_6F72_7265

  /// A set with only this member.
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

  /// Packs the unescaped bytes inside a string, with the first byte lowest. `nil` if the string is longer than eight
  /// bytes, or escapes anything but an ASCII character; no name or version here does.
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

  /// Refuses NUL, which would vanish in the packed number.
  private static func nextByte(in content: UnsafeBufferPointer<UInt8>, at: inout Int) -> UInt8? {
    guard content[at] == ASCII.backslash else {
      defer { at &+= 1 }
      return content[at]
    }
    guard let unit = JSONUnescaping.codeUnit(in: content, at: &at), unit > 0, unit < 0x80 else { return nil }
    return UInt8(truncatingIfNeeded: unit)
  }
}

/// The id of a request as it was written: echoed and compared byte for byte.
struct RequestID: Equatable {
  let text: [UInt8]

  static let null = RequestID(text: Array("null".utf8))

  private init(text: [UInt8]) {
    self.text = text
  }

  /// Null if the message has no valid id.
  init(_ span: Range<Int>?, in message: UnsafeBufferPointer<UInt8>) {
    text = span.map { Array(message.part($0)) } ?? Self.null.text
  }
}

extension Envelope.Call {
  /// Parses the params. Text that follows the grammar but has no value is an
  /// error with its place: a duplicate name, 1e400, an integer beyond 64 bits, a lone surrogate, NUL in a name. The
  /// result is valid as long as the message.
  package func parsedParams(in message: UnsafeBufferPointer<UInt8>) throws(RPCError) -> JSONNode? {
    guard let params else { return nil }
    let text = message.part(params)
    do throws(JSONParseError) {
      return try JSONNode(scanned: UnsafeRawBufferPointer(text))
    } catch {
      if error.isLackOfMemory { throw .outOfMemory }
      let path = JSONPointer.path(ofByteOffset: max(0, error.offset - 1), in: text)
      throw RPCError(
        .invalidParams, "\(path.isEmpty ? "params" : path) cannot be represented: \(error.message)",
        details: ["path": .string(path)])
    }
  }
}
