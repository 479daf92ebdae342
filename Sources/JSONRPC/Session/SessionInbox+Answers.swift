import JSON

extension SessionInbox {
  /// An answer of the host to a question of ours; one with an unknown id is dropped.
  func take(_ response: Envelope.Response, in message: UnsafeBufferPointer<UInt8>) {
    guard let id = response.id, case .string(let text)? = value(id, in: message) else { return }
    answer(text, PeerAnswer(result: value(response.result, in: message), error: value(response.error, in: message)))
  }

  /// Nil also for what no value can hold.
  private func value(_ span: Range<Int>?, in message: UnsafeBufferPointer<UInt8>) -> JSONValue? {
    span.flatMap { try? JSONValue(parsing: UnsafeRawBufferPointer(message.part($0))) }
  }
}

extension PeerAnswer {
  /// A careless host writes both members, one of them null: a null error is none where there is a result.
  fileprivate init(result: JSONValue?, error: JSONValue?) {
    if let error, !error.isNull || result == nil {
      let code = error["code"]?.integerValue.flatMap(Int.init(exactly:)) ?? RPCErrorCode.internalError.rawValue
      self = .failure(code: code, message: error["message"]?.stringValue ?? "")
    } else {
      self = result.map(PeerAnswer.result) ?? .unanswered
    }
  }
}
