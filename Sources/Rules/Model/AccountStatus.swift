import JSON
import Support

/// The state of a registered account: how its last check-in ended, and which policies could apply to it.
package struct AccountStatus: Hashable, Sendable {
  package var accountId: String?
  package var identity: String?
  package var isEnrolled: Bool
  package var isManaged: Bool
  package var life: AccountLife
  package var enrolledAt: Timestamp?
  package var signedInAt: Timestamp?
  package var checkedInAt: Timestamp?
  package var contactedAt: Timestamp?
  package var nextCheckInAt: Timestamp?
  package var lastStatus: EnrollmentStatus?
  package var explanation: String
  package var hasTestPolicy: Bool
  package var policies: [ConsideredPolicy]
  package var unknownRestrictions: [UnknownRestriction]
  /// `nil` without a policy.
  package var verdict: LaunchVerdict?
  package var access: AccountAccess
  package var asks: Bool

  package init(
    accountId: String?, identity: String?, isEnrolled: Bool, isManaged: Bool, life: AccountLife,
    enrolledAt: Timestamp?, signedInAt: Timestamp?, checkedInAt: Timestamp?, contactedAt: Timestamp?,
    nextCheckInAt: Timestamp?, lastStatus: EnrollmentStatus?, explanation: String, hasTestPolicy: Bool,
    policies: [ConsideredPolicy], unknownRestrictions: [UnknownRestriction] = [], verdict: LaunchVerdict? = nil,
    access: AccountAccess, asks: Bool = false
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
    self.unknownRestrictions = unknownRestrictions
    self.verdict = verdict
    self.access = access
    self.asks = asks
  }
}

/// A policy of the source, whether it applies to an account in this app, and why.
package struct ConsideredPolicy: Hashable, Sendable {
  package var id: String
  package var displayName: String?
  package var applied: Bool
  /// A stable symbol.
  package var reason: String
  package var text: String

  package init(id: String, displayName: String?, applied: Bool, reason: String, text: String) {
    self.id = id
    self.displayName = displayName
    self.applied = applied
    self.reason = reason
    self.text = text
  }
}

extension AccountStatus: Record {
  package static let fields = Fields(
    Self.init(
      accountId:identity:isEnrolled:isManaged:life:enrolledAt:signedInAt:checkedInAt:contactedAt:nextCheckInAt:
      lastStatus:explanation:hasTestPolicy:policies:unknownRestrictions:verdict:access:asks:),
    Field("accountId", \.accountId, "The Entra object id; null if unknown."),
    Field("identity", \.identity, "The user principal name; null if unknown."),
    Field("isEnrolled", \.isEnrolled, "Whether the account is enrolled, and not only registered."),
    Field("isManaged", \.isManaged, "Whether a policy is in force."),
    Field("life", \.life, "The state of the account; docs/account-life.md lists all states."),
    Field("enrolledAt", \.enrolledAt, "When the account was enrolled; null if it is not."),
    Field("signedInAt", \.signedInAt, "When the user last signed in with a token; null if never."),
    Field("checkedInAt", \.checkedInAt, "When the last check-in was; null before the first."),
    Field("contactedAt", \.contactedAt, "When the policy source last answered; null before its first answer."),
    Field("nextCheckInAt", \.nextCheckInAt, "When the next check-in is due; a time in the past means at once."),
    Field("lastStatus", \.lastStatus, "How the last check-in ended."),
    Field("explanation", \.explanation, "The state in words: what it is, why, and what comes next."),
    Field(
      "hasTestPolicy", \.hasTestPolicy,
      "Whether a test policy (debug.setPolicy, --debug-settings) replaces what the source says."),
    Field("policies", \.policies, "Every policy that the source has now, and whether it applies to this account."),
    Field(
      "unknownRestrictions", \.unknownRestrictions,
      "What the policies in force set that this version of mambridge does not know and that may restrict."),
    Field(
      "verdict", \.verdict,
      "Whether the launch checks let the account's data be shown now, without asking anybody; null without a policy."),
    Field("access", \.access, "What the host may do with the account's work data, as far as its enrollment tells."),
    Field(
      "asks", \.asks,
      "Whether only an answer of the user is missing, such as a PIN, a sign-in or the acceptance of a warning."))
}

extension ConsideredPolicy: Record {
  package static let fields = Fields(
    Self.init(id:displayName:applied:reason:text:),
    Field("id", \.id, "The id of the policy."),
    Field("displayName", \.displayName, "The name of the policy."),
    Field("applied", \.applied, "Whether the policy applies."),
    Field("reason", \.reason, "The reason, as a stable symbol."),
    Field("text", \.text, "The reason, in words."))
}
