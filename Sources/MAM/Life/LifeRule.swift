import Model

/// What a finding means for an account: the one table by which accounts live.
///
/// A refusal that does not wipe leaves everything as it was: an enrolled account keeps its last good policy, any other
/// stays registered. A policy whose appActionIfUnableToAuthenticateUser is wipe makes one of a user who is unlisted or
/// disabled.
package struct LifeRule: Sendable {
  package let finding: Finding
  /// Nil where it is the same for accounts that are enrolled and for those that are not.
  package let isEnrolled: Bool?
  package let code: EnrollmentStatusCode
  /// What is told after the status where it changed: the types of the events.
  package let changes: [String]
  /// Whether what the app holds of the account is removed.
  package let wipes: Bool

  private init(
    _ finding: Finding, isEnrolled: Bool? = nil, _ code: EnrollmentStatusCode, changes: [String] = [],
    wipes: Bool = false
  ) {
    self.finding = finding
    self.isEnrolled = isEnrolled
    self.code = code
    self.changes = changes
    self.wipes = wipes
  }

  /// The state that it leads to, and when the next check-in is.
  package var meaning: StatusMeaning { StatusMeaning(of: code) }

  package func holds(isEnrolled: Bool) -> Bool { self.isEnrolled.map { $0 == isEnrolled } ?? true }

  static func code(for finding: Finding, isEnrolled: Bool) -> EnrollmentStatusCode {
    all.first { $0.finding == finding && $0.holds(isEnrolled: isEnrolled) }?.code ?? .internalError
  }

  private static let policy = "policyManager.policyDidChange"
  private static let appConfig = "appConfig.didChange"
  private static let dataProtection = "dataProtectionManager.didChange"
  private static let userStatus = "userStatusManager.userStatusDidChange"

  package static let all: [LifeRule] = [
    LifeRule(.noNetwork, isEnrolled: false, .enrollmentEndPointNetworkFailure),
    LifeRule(.noNetwork, isEnrolled: true, .policyEndPointNetworkFailure),
    LifeRule(.noSource, .locationServiceFailure),
    LifeRule(.damagedSource, .parsingFailure),
    LifeRule(.unlistedUser, .authRequired),
    LifeRule(.wipe, .wipeReceived, wipes: true),
    LifeRule(.blockedUser, .deviceBlockedEnrollment, wipes: true),
    LifeRule(.disabledUser, .authRequired),
    LifeRule(.otherMDMUser, .mdmEnrolledDifferentUser),
    LifeRule(.unlicensedUser, .accountNotLicensed),
    LifeRule(.otherAccount, isEnrolled: false, .singleManagedAccountMode),
    LifeRule(.newPolicy, .newPoliciesReceived, changes: [policy, dataProtection, appConfig, userStatus]),
    LifeRule(.samePolicy, isEnrolled: true, .policiesHaveNotChanged, changes: [appConfig, userStatus]),
    LifeRule(.noPolicy, .noPolicyReceived, changes: [policy, dataProtection, appConfig, userStatus]),
    LifeRule(.nothing, isEnrolled: false, .licensedNotTargeted),
  ]
}
