import JSON
import Support

extension SessionInbox {
  /// An answer of the host to a question of ours. One that answers nothing is returned.
  func take(_ response: Envelope.Response, in message: UnsafeBufferPointer<UInt8>) -> StrayAnswer? {
    let id = value(response.id, in: message)
    guard case .string(let text)? = id else {
      return StrayAnswer(id: String((id ?? .null).jsonText.prefix(32)), method: nil, fault: .unknown)
    }
    return answer(
      text, PeerAnswer(result: self.text(response.result, in: message), error: value(response.error, in: message)))
  }

  /// As it was written. Nil also for what no value can hold.
  private func text(_ span: Range<Int>?, in message: UnsafeBufferPointer<UInt8>) -> ClearedBytes? {
    guard let text = span.map({ UnsafeRawBufferPointer(message.part($0)) }),
      (try? JSONDocument(scanned: text)) != nil
    else { return nil }
    return ClearedBytes(text)
  }

  /// Nil also for what no value can hold.
  private func value(_ span: Range<Int>?, in message: UnsafeBufferPointer<UInt8>) -> JSONValue? {
    span.flatMap { try? JSONValue(parsing: UnsafeRawBufferPointer(message.part($0))) }
  }
}

extension PeerAnswer {
  /// A careless host writes both members, one of them null: a null error is none where there is a result.
  fileprivate init(result: ClearedBytes?, error: JSONValue?) {
    if let error, !error.isNull || result == nil {
      let code = error["code"]?.integerValue.flatMap(Int.init(exactly:)) ?? RPCErrorCode.internalError.rawValue
      self = .failure(code: code, message: error["message"]?.stringValue ?? "")
    } else {
      self = result.map(PeerAnswer.result) ?? .unanswered
    }
  }
}
