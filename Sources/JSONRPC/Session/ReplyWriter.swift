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
      message: "the limit of \(excess.value) for \(excess.name.rawValue) was passed",
      isRetryable: excess.name.isRetryable,
      details: ["limit": .string(excess.name.rawValue), "value": .integer(Int64(excess.value))])
  }
}

extension ScanFailure {
  /// The span of the id that the error carries.
  var id: Range<Int>? {
    if case .limit(_, let id) = self { id } else { nil }
  }
}

extension ScannedMessage {
  /// Whether there is a reply to it, an error if nothing else: notifications and responses have none.
  var isAnswered: Bool {
    switch self {
    case .single(.notification), .single(.response): false
    case .single, .batch, .failure: true
    }
  }

  /// The span of the id that an error about the whole message carries.
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
