import JSON
import JSONRPC

/// What valid JSON may hold and jansson has no value for; it leaves such a text unread.
private let unrepresentable = [
  "duplicate object key", "real number overflow", "too big integer", "too big negative integer", "invalid Unicode",
  "NUL byte in object key not supported",
]

/// jansson takes and refuses the same texts, and its tree says the same about the envelope.
func checkAgreement(_ scanned: ScannedMessage, with message: [UInt8]) {
  do throws(JSONParseError) {
    let value = try JSONValue(parsing: message)
    checkAgreement(scanned, with: value)
  } catch {
    if case .failure = scanned { return }
    check(unrepresentable.contains { error.message.hasPrefix($0) }, "jansson alone refuses: \(error)")
  }
}

private func checkAgreement(_ scanned: ScannedMessage, with value: JSONValue) {
  switch scanned {
  case .single(let envelope): checkAgreement(envelope, with: value)
  case .batch(let elements):
    let values = value.arrayValue ?? []
    check(values.count == elements.count, "a batch of \(elements.count) that jansson reads as \(values.count)")
    for (element, value) in zip(elements, values) { checkAgreement(element, with: value) }
  case .failure(.syntax(let error)): check(false, "the scanner alone refuses: \(error)")
  case .failure(.limit): break
  }
}

private func checkAgreement(_ envelope: Envelope, with value: JSONValue) {
  if case .invalid(let invalid) = envelope, invalid.reason == .idTooLong { return }
  check(Kind(envelope) == Kind(value), "\(envelope) is not \(Kind(value))")
}

/// What an envelope is, by PROTOCOL's rules over a tree.
private enum Kind {
  case request, notification, response, invalid

  init(_ envelope: Envelope) {
    self =
      switch envelope {
      case .request: .request
      case .notification: .notification
      case .response: .response
      case .invalid: .invalid
      }
  }

  init(_ value: JSONValue) {
    let (id, method, params) = (value["id"], value["method"], value["params"])
    guard value["jsonrpc"] == "2.0", Self.isIdentifier(id ?? .null) else {
      self = .invalid
      return
    }
    guard method != nil else {
      self = value["result"] != nil || value["error"] != nil ? .response : .invalid
      return
    }
    let hasCall = method?.stringValue != nil && (params == nil || params?.isContainer == true)
    self = !hasCall ? .invalid : id == nil ? .notification : .request
  }

  private static func isIdentifier(_ id: JSONValue) -> Bool { id.boolValue == nil && !id.isContainer }
}

extension JSONValue {
  fileprivate var isContainer: Bool { arrayValue != nil || objectValue != nil }
}
