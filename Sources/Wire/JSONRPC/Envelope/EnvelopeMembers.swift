import Support

/// What classification needs to know about a value in the message.
struct ScannedValue {
  var span = 0..<0
  /// The byte that shows its type.
  var first: UInt8 = 0
  /// Valid only for a string.
  var hasEscapes = false

  var isString: Bool { first == ASCII.quote }
  var isContainer: Bool { first == ASCII.openBrace || first == ASCII.openBracket }
  var isNull: Bool { first == UInt8(ascii: "n") }
  /// Whether it is a string, a number or null.
  var isIdentifier: Bool { isString || first == ASCII.minus || first.isDigit || isNull }

  /// Valid only for a string.
  var stringSpan: StringSpan {
    let content = Range(uncheckedBounds: (span.lowerBound &+ 1, span.upperBound &- 1))
    return StringSpan(content: content, hasEscapes: hasEscapes)
  }
}

/// Collects the members of one envelope.
struct EnvelopeMembers {
  private var seen: UInt8 = 0
  private var repeated: UInt8 = 0
  private var id = ScannedValue()
  private var method = ScannedValue()
  private var params = ScannedValue()
  private var version = ScannedValue()
  private var result = ScannedValue()
  private var error = ScannedValue()

  @inline(__always)
  mutating func note(_ value: ScannedValue, as member: EnvelopeMember) {
    repeated |= seen & member.bit
    seen |= member.bit
    switch member {
    case .id: id = value
    case .method: method = value
    case .params: params = value
    case .jsonrpc: version = value
    case .result: result = value
    case .error: error = value
    }
  }

  @inline(__always)
  private func has(_ member: EnvelopeMember) -> Bool { seen & member.bit != 0 }

  @inline(__always)
  private func span(_ member: EnvelopeMember, _ value: ScannedValue) -> Range<Int>? {
    has(member) ? value.span : nil
  }
}

extension EnvelopeMembers {
  /// The id for an error: the only id of the object, if it can be echoed.
  func echoedID(_ limits: ScanLimits) -> Range<Int>? {
    guard has(.id), repeated & EnvelopeMember.id.bit == 0 else { return nil }
    return id.isIdentifier && id.span.count <= limits.idBytes ? id.span : nil
  }

  /// Applies the rules of the specification; the first broken rule is the reason.
  ///
  /// A response has `result` or `error` and no `method`; its params, if any, have no meaning. An object that breaks a
  /// rule, even with `params` of a wrong type, is not a valid request object. So without an id it is not a notification
  /// either, and is answered with -32600 and id null. `"params":null` counts as absent, because many serializers write it.
  func classified(_ message: UnsafeBufferPointer<UInt8>, _ limits: ScanLimits) -> Envelope {
    if let reason = defect(message, limits) {
      return .invalid(InvalidRequest(reason: reason, id: echoedID(limits)))
    }
    guard has(.method) else {
      let response = Envelope.Response(
        id: span(.id, id), result: span(.result, result), error: span(.error, error))
      return .response(response)
    }
    let call = Envelope.Call(method: method.stringSpan, params: params.isContainer ? params.span : nil)
    return has(.id) ? .request(call, id: id.span) : .notification(call)
  }

  private func defect(_ message: UnsafeBufferPointer<UInt8>, _ limits: ScanLimits) -> InvalidRequest.Reason? {
    if repeated != 0 { return .duplicateMember }
    if has(.id) && !id.isIdentifier { return .idType }
    if has(.id) && id.span.count > limits.idBytes { return .idTooLong }
    if !isVersion2(message) { return .version }
    guard has(.method) else { return has(.result) || has(.error) ? nil : .methodMissing }
    if !method.isString { return .methodType }
    return has(.params) && !params.isContainer && !params.isNull ? .paramsType : nil
  }

  private func isVersion2(_ message: UnsafeBufferPointer<UInt8>) -> Bool {
    guard has(.jsonrpc), version.isString else { return false }
    let text = version.stringSpan
    return PackedText.pack(message.part(text.content), hasEscapes: text.hasEscapes) == PackedText.version
  }
}
