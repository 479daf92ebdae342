import JSON

/// Writes replies as text, one after another, into a reused buffer. The frame of a reply is constant, so it bypasses
/// the JSON writer.
struct ReplyWriter {
  private var writer = JSONWriter()

  var bytes: [UInt8] { writer.bytes }

  /// Returns whether `body` wrote the result. If it did not, the content of the buffer has no meaning.
  mutating func result(
    id: RequestID, _ body: (inout JSONWriter) throws(RPCError) -> Bool
  ) throws(RPCError) -> Bool {
    begin(id, ",\"result\":")
    guard try body(&writer) else { return false }
    append("}")
    return true
  }

  /// `text` is the result as JSON text.
  mutating func result(id: RequestID, text: [UInt8]) {
    beginResult(id: id)
    writer.bytes += text
    append("}")
  }

  /// Writes the part before a result; `tail` is the part after it.
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

extension RPCError {
  init(_ failure: ScanFailure) {
    switch failure {
    case .syntax(let error):
      self.init(
        .parseError, "\(error.reason.rawValue) at byte \(error.offset)",
        details: ["offset": .integer(Int64(error.offset))])
    case .limit(let excess, _): self.init(excess)
    }
  }

  init(_ failure: FramingFailure) {
    switch failure {
    case .header, .truncated: self.init(failure.code, failure.message)
    case .tooLong(let excess): self.init(excess)
    case .outOfMemory: self = .outOfMemory
    }
  }

  package init(_ excess: LimitExcess) {
    self.init(
      code: RPCErrorCode.limitExceeded.rawValue, name: RPCErrorCode.limitExceeded.name,
      message: "the limit of \(excess.value) for \(excess.name.rawValue) was exceeded",
      isRetryable: excess.name.isRetryable,
      details: ["limit": .string(excess.name.rawValue), "value": .integer(Int64(excess.value))])
  }
}

extension ScanFailure {
  /// The span of the id for the error.
  var id: Range<Int>? {
    if case .limit(_, let id) = self { id } else { nil }
  }
}

extension ScannedMessage {
  /// Whether the envelope gets a reply, possibly an error. Notifications and responses get none.
  var isAnswered: Bool {
    switch self {
    case .single(.notification), .single(.response): false
    case .single, .batch, .failure: true
    }
  }

  /// The span of the id for an error about the whole message.
  var id: Range<Int>? {
    switch self {
    case .single(.request(_, let id)): id
    case .single(.invalid(let invalid)): invalid.id
    case .failure(let failure): failure.id
    case .single, .batch: nil
    }
  }
}

extension Work {
  func outcome() async -> Result<[UInt8], RPCError> {
    do throws(RPCError) {
      return .success(try await run())
    } catch {
      return .failure(error)
    }
  }
}
