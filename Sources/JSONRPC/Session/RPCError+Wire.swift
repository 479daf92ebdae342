import JSON

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
