import Model

/// What a finding means for an account. This table determines the life of all accounts.
///
/// A refusal without a wipe changes nothing: an enrolled account keeps its last good policy, and any other account stays
/// registered. If the user is not listed or disabled, a policy whose appActionIfUnableToAuthenticateUser is wipe turns the
/// refusal into a wipe.
package struct LifeRule: Sendable {
  package let finding: Finding
  /// Whether the account must be enrolled for the rule to apply; nil if that does not matter.
  package let isEnrolled: Bool?
  package let code: EnrollmentStatusCode
  /// The types of the events after the status. Each is sent only if its value changed.
  package let changes: [String]
  /// Whether the account's data is removed from the app.
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

  /// The resulting state, and when the next check-in is due.
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
