/// Takes a message apart while checking it.
struct EnvelopeScanner {
  private let message: UnsafeBufferPointer<UInt8>
  private let limits: ScanLimits
  private var json: JSONScanner

  /// `base` is the address at which `message` begins.
  init(_ message: UnsafeBufferPointer<UInt8>, base: UnsafePointer<UInt8>, limits: ScanLimits) {
    self.message = message
    self.limits = limits
    json = JSONScanner(base: UnsafeRawPointer(base), count: message.count, limits: limits)
  }

  @inline(__always)
  mutating func scan() -> ScannedMessage {
    do throws(JSONSyntaxError) {
      json.skipWhitespace()
      switch json.byte {
      case ASCII.openBrace: return try single()
      case ASCII.openBracket: return try batch()
      default:
        try json.skipValue()
        return try finish(.single(notAnObject))
      }
    } catch {
      return json.excess.map { .failure(.limit($0, id: nil)) } ?? .failure(.syntax(error))
    }
  }

  private var notAnObject: Envelope { .invalid(InvalidRequest(reason: .notAnObject, id: nil)) }

  private mutating func single() throws(JSONSyntaxError) -> ScannedMessage {
    let members = try object()
    let failure = json.excess.map { ScannedMessage.failure(.limit($0, id: members.echoedID(limits))) }
    return try finish(failure ?? .single(members.classified(message, limits)))
  }

  /// Only white space may follow.
  @inline(__always)
  private mutating func finish(_ scanned: ScannedMessage) throws(JSONSyntaxError) -> ScannedMessage {
    json.skipWhitespace()
    guard json.position < json.count else {
      // A top-level scalar or array has no id to wait for.
      if case .failure = scanned { return scanned }
      return json.excess.map { .failure(.limit($0, id: nil)) } ?? scanned
    }
    throw json.unexpected(.trailingText)
  }

  /// Stops at the first exceeded limit, because an array has no id.
  private mutating func batch() throws(JSONSyntaxError) -> ScannedMessage {
    guard try json.enterArray() else {
      return try finish(.single(.invalid(InvalidRequest(reason: .emptyBatch, id: nil))))
    }
    var elements: [Envelope] = []
    repeat {
      guard elements.count < limits.batch else {
        return .failure(.limit(LimitExcess(.batch, limits.batch), id: nil))
      }
      elements.append(try element())
      if let excess = json.excess { return .failure(.limit(excess, id: nil)) }
    } while try json.skipSeparator()
    return try finish(.batch(elements))
  }

  private mutating func element() throws(JSONSyntaxError) -> Envelope {
    if json.byte == ASCII.openBrace { return try object().classified(message, limits) }
    try json.skipValue()
    return notAnObject
  }

  private mutating func object() throws(JSONSyntaxError) -> EnvelopeMembers {
    var members = EnvelopeMembers()
    guard try json.enterObject() else { return members }
    repeat {
      let name = try json.memberName()
      let value = try value()
      if let member = member(named: name) { members.note(value, as: member) }
    } while try json.skipSeparator()
    return members
  }

  @inline(__always)
  private mutating func value() throws(JSONSyntaxError) -> ScannedValue {
    let start = json.position
    let first = json.byte
    if first == ASCII.openBrace || first == ASCII.openBracket {
      try json.skipValue()
    } else {
      try json.skipScalar()
    }
    let span = Range(uncheckedBounds: (start, json.position))
    return ScannedValue(span: span, first: first, hasEscapes: json.sawEscape)
  }

  @inline(__always)
  private func member(named name: StringSpan) -> EnvelopeMember? {
    if !name.hasEscapes && name.content.count > 7 { return nil }
    let packed = PackedText.pack(message.part(name.content), hasEscapes: name.hasEscapes)
    return packed.flatMap(EnvelopeMember.init(rawValue:))
  }
}

/// A whole message, checked and taken apart.
package enum ScannedMessage: Hashable, Sendable {
  case single(Envelope)
  /// Answered with one array. Never empty: an empty batch is a single invalid request.
  case batch([Envelope])
  /// Answered with one error, never an array; no part of the message runs.
  case failure(ScanFailure)

  /// Checks `message` against the grammar and the limits, and collects the spans.
  ///
  /// The error names the first exceeded limit. A single object is still read to its end, so that the error carries the
  /// id wherever it is. If the rest breaks the grammar, the id is null.
  package static func scan(
    _ message: UnsafeBufferPointer<UInt8>, limits: ScanLimits = ScanLimits()
  ) -> ScannedMessage {
    guard let base = message.baseAddress else {
      return .failure(.syntax(JSONSyntaxError(reason: .unexpectedEnd, offset: 0)))
    }
    var scanner = EnvelopeScanner(message, base: base, limits: limits)
    return scanner.scan()
  }
}

/// The reason why a message cannot be taken apart.
package enum ScanFailure: Error, Hashable {
  /// -32700 with id null: text that is not JSON has no id.
  case syntax(JSONSyntaxError)
  /// -32004. `id` is the span of the only valid id if the message is an object; otherwise `nil`, written as null.
  case limit(LimitExcess, id: Range<Int>?)

  package var code: RPCErrorCode {
    switch self {
    case .syntax: .parseError
    case .limit: .limitExceeded
    }
  }
}
