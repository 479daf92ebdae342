import JSON

/// The errors with which a source answers.
package enum SourceErrorCode: Int, CaseIterable, Sendable {
  /// The service needs a token, or refused it.
  case signInNeeded = -32050
  /// The service cannot be reached, or cannot answer now.
  case unreachable = -32051
  case switchedOff = -32052
  /// A person canceled the sign-in.
  case signInCanceled = -32053
  /// The service no longer knows the registration.
  case unknownRegistration = -32054

  package var name: String { String(describing: self) }

  /// For those who write a source.
  var text: String {
    switch self {
    case .signInNeeded:
      """
      signInNeeded: the source wants a token, or refused it, or the user must sign in; data.claims is what the service \
      wants in the token, if it has said so
      """
    case .unreachable:
      "unreachable: the source cannot reach its service; data.retryAfter is the wait in seconds, if known"
    case .switchedOff: "disabled: the service is switched off for the tenant"
    case .signInCanceled: "signInCanceled: the user canceled the sign-in of the source"
    case .unknownRegistration: "gone: the source no longer knows the registration"
    }
  }
}

/// The data of an error.
package struct SourceErrorData: SourceRecord, Hashable {
  package static let schemaName = "ErrorData"

  /// In seconds.
  package var retryAfter: Double?
  package var claims: String?
  /// `nil` if the error says nothing about a hold of wipes, which is not null.
  package var hold: AsWritten<AnsweredHold?>?

  package init(retryAfter: Double? = nil, claims: String? = nil, hold: AsWritten<AnsweredHold?>? = nil) {
    (self.retryAfter, self.claims, self.hold) = (retryAfter, claims, hold)
  }

  package static let retryAfter = Field(
    omitting: "retryAfter", \Self.retryAfter, "How long the source wants to be left alone, in seconds.")
  package static let claims = Field(omitting: "claims", \Self.claims, "What the service wants in the token.")

  package static let hold = Field(
    omitting: SourceAnswer.hold.name, \Self.hold, "As in an answer to source.checkIn; for any error of that request.")

  package static let fields = Fields(Self.init(retryAfter:claims:hold:), retryAfter, claims, hold)

  /// What can be read of the data of an error.
  package init(given data: JSONNode?) {
    self.init(
      retryAfter: data.flatMap { Self.retryAfter.given(in: $0) }, claims: data.flatMap { Self.claims.given(in: $0) },
      hold: data?.member(Self.hold.name).map { AsWritten($0.value) })
  }
}
