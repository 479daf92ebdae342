import JSON
import Support

/// Where a registered account stands: what its last check-in ended with, and which policies it could have.
public struct AccountStatus: Hashable, Sendable {
  public var accountId: String?
  public var identity: String?
  public var isEnrolled: Bool
  public var isManaged: Bool
  public var life: AccountLife
  public var enrolledAt: Timestamp?
  public var signedInAt: Timestamp?
  public var checkedInAt: Timestamp?
  public var contactedAt: Timestamp?
  public var nextCheckInAt: Timestamp?
  public var lastStatus: EnrollmentStatus?
  public var explanation: String
  public var hasTestPolicy: Bool
  public var policies: [ConsideredPolicy]

  public init(
    accountId: String?, identity: String?, isEnrolled: Bool, isManaged: Bool, life: AccountLife,
    enrolledAt: Timestamp?, signedInAt: Timestamp?, checkedInAt: Timestamp?, contactedAt: Timestamp?,
    nextCheckInAt: Timestamp?, lastStatus: EnrollmentStatus?, explanation: String, hasTestPolicy: Bool,
    policies: [ConsideredPolicy]
  ) {
    self.accountId = accountId
    self.identity = identity
    self.isEnrolled = isEnrolled
    self.isManaged = isManaged
    self.life = life
    self.enrolledAt = enrolledAt
    self.signedInAt = signedInAt
    self.checkedInAt = checkedInAt
    self.contactedAt = contactedAt
    self.nextCheckInAt = nextCheckInAt
    self.lastStatus = lastStatus
    self.explanation = explanation
    self.hasTestPolicy = hasTestPolicy
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
    Self.init(
      accountId:identity:isEnrolled:isManaged:life:enrolledAt:signedInAt:checkedInAt:contactedAt:nextCheckInAt:
      lastStatus:explanation:hasTestPolicy:policies:),
    Field("accountId", \.accountId, "The Entra object id; null when it is not known."),
    Field("identity", \.identity, "The user principal name; null when it is not known."),
    Field("isEnrolled", \.isEnrolled, "Whether it is enrolled; else it is registered only."),
    Field("isManaged", \.isManaged, "Whether a policy is in force."),
    Field("life", \.life, "Where it stands; docs/account-life.md has the table."),
    Field("enrolledAt", \.enrolledAt, "When it was enrolled; null when it is not."),
    Field("signedInAt", \.signedInAt, "When the user last proved who it is by a token; null for not yet."),
    Field("checkedInAt", \.checkedInAt, "When the last check-in was."),
    Field("contactedAt", \.contactedAt, "When the policy source last had an answer; null before the first."),
    Field("nextCheckInAt", \.nextCheckInAt, "When the next one is due; in the past for at once."),
    Field("lastStatus", \.lastStatus, "What the last one ended with."),
    Field("explanation", \.explanation, "The same in words: how it stands, why, and what comes next."),
    Field(
      "hasTestPolicy", \.hasTestPolicy,
      "Whether a test policy (debug.setPolicy, --debug-settings) is in force in place of what the source says."),
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
