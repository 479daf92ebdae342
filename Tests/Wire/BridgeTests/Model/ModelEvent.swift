import JSON
import Support

/// An event as far as a model foretells it.
struct ModelEvent: Equatable, CustomStringConvertible {
  var type: String
  /// Of the account, in lower case; nil for none.
  var identity: String?
  var code: Int64?
  /// In milliseconds.
  var time: Int64

  var description: String {
    [type, identity, code.map(String.init), Timestamp(milliseconds: time).description].compactMap { $0 }
      .joined(separator: " ")
  }
}

extension ModelEvent {
  static let enrollment = "enrollmentDelegate.enrollmentRequestWithStatus"
  static let checkIn = "enrollmentDelegate.policyRequestWithStatus"
  static let unenrollment = "enrollmentDelegate.unenrollRequestWithStatus"

  /// As `events.list` has it.
  init(listed event: JSONValue) {
    let params = event["params"] ?? .null
    self.init(
      type: event["type"]?.stringValue ?? "", identity: params["identity"]?.stringValue?.lowercased(),
      code: params["statusCode"]?.integerValue,
      time: params["time"]?.stringValue.flatMap { Timestamp($0) }?.milliseconds ?? 0)
  }
}
