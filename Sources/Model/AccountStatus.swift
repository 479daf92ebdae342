import JSON
import Support

/// Where a registered account stands: what its last check-in ended with, and which policies it could have.
public struct AccountStatus: Hashable, Sendable {
  public var accountId: String?
  public var identity: String?
  public var isEnrolled: Bool
  public var isManaged: Bool
  public var enrolledAt: Timestamp?
  public var checkedInAt: Timestamp?
  public var lastStatus: EnrollmentStatus?
  public var policies: [ConsideredPolicy]

  public init(
    accountId: String?, identity: String?, isEnrolled: Bool, isManaged: Bool, enrolledAt: Timestamp?,
    checkedInAt: Timestamp?, lastStatus: EnrollmentStatus?, policies: [ConsideredPolicy]
  ) {
    self.accountId = accountId
    self.identity = identity
    self.isEnrolled = isEnrolled
    self.isManaged = isManaged
    self.enrolledAt = enrolledAt
    self.checkedInAt = checkedInAt
    self.lastStatus = lastStatus
    self.policies = policies
  }
}

/// A policy of the source, whether it applies to an account in this app, and why.
public struct ConsideredPolicy: Hashable, Sendable {
  public var id: String
  public var displayName: String?
  public var applied: Bool
  /// A stable symbol.
  public var reason: String
  public var text: String

  public init(id: String, displayName: String?, applied: Bool, reason: String, text: String) {
    self.id = id
    self.displayName = displayName
    self.applied = applied
    self.reason = reason
    self.text = text
  }
}

extension AccountStatus: Record {
  package static let schemaName: String? = "AccountStatus"
  package static let fields = Fields(
    Self.init(accountId:identity:isEnrolled:isManaged:enrolledAt:checkedInAt:lastStatus:policies:),
    Field("accountId", \.accountId, "The Entra object id; null when it is not known."),
    Field("identity", \.identity, "The user principal name; null when it is not known."),
    Field("isEnrolled", \.isEnrolled, "Whether it is enrolled; else it is registered only."),
    Field("isManaged", \.isManaged, "Whether a policy is in force."),
    Field("enrolledAt", \.enrolledAt, "When it was enrolled; null when it is not."),
    Field("checkedInAt", \.checkedInAt, "When the policy source was asked last."),
    Field("lastStatus", \.lastStatus, "What that ended with."),
    Field("policies", \.policies, "Every policy of the source as it is now, and whether it applies to this account."))
}

extension ConsideredPolicy: Record {
  package static let schemaName: String? = "ConsideredPolicy"
  package static let fields = Fields(
    Self.init(id:displayName:applied:reason:text:),
    Field("id", \.id, "The policy's id."),
    Field("displayName", \.displayName, "The policy's name."),
    Field("applied", \.applied, "Whether it applies."),
    Field("reason", \.reason, "Why, as a stable symbol."),
    Field("text", \.text, "Why, in words."))
}
