import JSON
import Support

/// How the PIN of an account stands.
public struct PINStatus: Hashable, Sendable {
  public var required: Bool
  public var isSet: Bool
  /// Nil where the policy sets no limit, or requires no PIN.
  public var retriesLeft: Int?
  /// When it must be changed; nil for never.
  public var expires: Timestamp?

  public init(required: Bool, isSet: Bool, retriesLeft: Int? = nil, expires: Timestamp? = nil) {
    self.required = required
    self.isSet = isSet
    self.retriesLeft = retriesLeft
    self.expires = expires
  }
}

extension PINStatus: Record {
  package static let schemaName: String? = "PINStatus"
  package static let fields = Fields(
    Self.init(required:isSet:retriesLeft:expires:),
    Field("required", \.required, "Whether the policy requires one, and the device's own does not replace it."),
    Field("isSet", \.isSet, "Whether the user has one, whichever app of the publisher it was set in."),
    Field("retriesLeft", \.retriesLeft, "How many wrong ones may still follow; null for any number."),
    Field("expires", \.expires, "When it must be changed; null for never."))
}

/// What of the user's body may stand in for a PIN. The machine has none: the host recognizes the user and vouches for it.
public enum Biometric: String, CaseIterable, Hashable, Sendable, NamedValue {
  case touchID, faceID
}
