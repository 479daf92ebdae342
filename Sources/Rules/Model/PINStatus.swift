import JSON
import Support

/// The status of an account's PIN.
package struct PINStatus: Hashable, Sendable {
  package var required: Bool
  package var isSet: Bool
  /// `nil` if the policy sets no limit, or requires no PIN.
  package var retriesLeft: Int?
  /// When the PIN must be changed; `nil` if never.
  package var expires: Timestamp?

  package init(required: Bool, isSet: Bool, retriesLeft: Int? = nil, expires: Timestamp? = nil) {
    self.required = required
    self.isSet = isSet
    self.retriesLeft = retriesLeft
    self.expires = expires
  }
}

extension PINStatus: Record {
  package static let fields = Fields(
    Self.init(required:isSet:retriesLeft:expires:),
    Field("required", \.required, "Whether the policy requires a PIN, and the device's own does not replace it."),
    Field("isSet", \.isSet, "Whether the user has a PIN, whichever app of the publisher it was set in."),
    Field("retriesLeft", \.retriesLeft, "How many more wrong PINs are allowed; null if there is no limit."),
    Field("expires", \.expires, "When the PIN must be changed; null if never."))
}

/// A biometric that may replace a PIN. The server has no sensor: the host recognizes the user and vouches for that.
package enum Biometric: String, CaseIterable, Hashable, Sendable, NamedValue {
  case touchID, faceID
}
