import Model
import Support

/// What a finding means for an account. This table determines the life of all accounts.
///
/// A refusal without a wipe changes nothing: an enrolled account keeps its last good policy, and any other account stays
/// registered. If the user is not listed or disabled, a policy whose appActionIfUnableToAuthenticateUser is wipe turns the
/// refusal into a wipe. A missing token never does: nobody but the source says that a user may no longer sign in.
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
  private static let management = "policyManager.managementRemoved"
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
    LifeRule(.noToken, .authRequired),
    LifeRule(.managedDevice, isEnrolled: false, .deviceBlockedEnrollment),
    LifeRule(.otherMDMUser, .mdmEnrolledDifferentUser),
    LifeRule(.unlicensedUser, .accountNotLicensed),
    LifeRule(.otherAccount, isEnrolled: false, .singleManagedAccountMode),
    LifeRule(.newPolicy, .newPoliciesReceived, changes: [policy, dataProtection, appConfig, userStatus]),
    LifeRule(.samePolicy, isEnrolled: true, .policiesHaveNotChanged, changes: [appConfig, userStatus]),
    LifeRule(.noPolicy, .noPolicyReceived, changes: [policy, dataProtection, management, appConfig, userStatus]),
    LifeRule(.nothing, isEnrolled: false, .licensedNotTargeted),
  ]
}

/// The finding of an enrollment or a check-in. If several apply, the first one counts.
///
/// The order is: who the user is, what the administrator grants, what this app allows. A user who does what the text of a
/// status says therefore never meets an earlier refusal afterwards. Wipes are the exception and come earlier, so that the
/// data of a disabled user is wiped too.
package enum Finding: String, CaseIterable, Sendable {
  case noNetwork, noSource, damagedSource
  case unlistedUser, wipe, blockedUser, disabledUser, noToken, managedDevice, otherMDMUser, unlicensedUser
  case otherAccount
  case newPolicy, samePolicy, noPolicy, nothing

  package var text: String {
    switch self {
    case .noNetwork: "the device has no network"
    case .noSource: "there is no policy source"
    case .damagedSource: "a file of the policy source cannot be read"
    case .unlistedUser: "the policy source does not list the user"
    case .wipe: "an administrator requested a wipe of the user's data"
    case .disabledUser: "the user's account is disabled"
    case .noToken: "the host or the token command gave no token for the user"
    case .managedDevice: "the device runs Windows and is managed"
    case .otherMDMUser: "the device is managed for another user, and only one account is allowed"
    case .unlicensedUser: "the user has no license"
    case .blockedUser: "an administrator blocks the user (wipeAndBlock)"
    case .otherAccount: "another account is enrolled, and only one is allowed"
    case .newPolicy: "a policy, and the policy or the enrollment is new"
    case .samePolicy: "the same policy as before"
    case .noPolicy: "no policy, but a configuration or an existing enrollment"
    case .nothing: "neither a policy nor a configuration"
    }
  }
}

/// What a status code means for the life of an account.
package struct StatusMeaning: Sendable {
  package let code: EnrollmentStatusCode
  /// The state of a registered account afterwards; nil if the code does not change the state.
  package let life: AccountLife?
  /// When the account checks in again; nil if `life` is nil or unenrolled.
  package let interval: CheckInInterval?
  /// What causes the code in mambridge; nil if nothing does, and the text says why.
  package let origin: Origin?
  package let text: String

  package enum Origin: String, Sendable { case host, device, source = "policy source" }

  private init(
    _ code: EnrollmentStatusCode, _ life: AccountLife? = nil, _ interval: CheckInInterval? = nil,
    _ origin: Origin? = nil, _ text: String
  ) {
    self.code = code
    self.life = life
    self.interval = interval
    self.origin = origin
    self.text = text
  }

  package init(of code: EnrollmentStatusCode) {
    self = Self.all.first { $0.code == code } ?? Self(code, .blocked, .day, nil, "the status is unknown")
  }

  /// Whether the policy source answered about the account: neither the network nor the policy source failed.
  var isAnswer: Bool { life != nil && life != .retrying && life != .offline }

  /// Every code once, in the order of the SDK.
  package static let all: [StatusMeaning] = [
    .init(
      .newPoliciesReceived, .enrolled, .halfHour, .source, "there is a policy, and the policy or the account is new"),
    .init(.policiesHaveNotChanged, .enrolled, .halfHour, .source, "the policy is the same as before"),
    .init(.wipeReceived, .wiping, .backOff, .source, "an administrator requested a wipe of the user's data"),
    .init(
      .noPolicyReceived, .enrolled, .halfDay, .source,
      "there is a configuration but no policy, or the account no longer has a policy"),
    .init(.unenrollmentSuccess, .unenrolled, nil, .host, "the host unenrolled the account, or the account was wiped"),
    .init(.accountNotLicensed, .blocked, .halfDay, .source, "the user has no license"),
    .init(.internalError, nil, nil, nil, "an internal error is error -32603, or 6001 to 6007, and changes nothing"),
    .init(.mamServiceDisabled, nil, nil, nil, "a tenant folder cannot disable the service"),
    .init(
      .authRequired, .blocked, .day, .source,
      "the user is not listed, is disabled, or did not sign in as requested, or there is no token for the user"),
    .init(.locationServiceFailure, .retrying, .day, .source, "there is no policy source"),
    .init(
      .enrollmentEndPointNetworkFailure, .offline, .backOff, .device,
      "there is no network, and the account is not enrolled"),
    .init(.parsingFailure, .retrying, .day, .source, "a file of the policy source cannot be read"),
    .init(.nilAccount, nil, nil, .host, "the request names no account"),
    .init(.alreadyEnrolled, nil, nil, .host, "the account is already enrolled"),
    .init(.notEmmAccount, nil, nil, nil, "a user that the device is not managed for gets 210"),
    .init(.mdmEnrolledDifferentUser, .blocked, .day, .source, "the device is managed for another user"),
    .init(.notDeviceAccount, nil, nil, nil, "a device has no accounts of its own in mambridge"),
    .init(
      .policyEndPointNetworkFailure, .offline, .backOff, .device, "there is no network, and the account is enrolled"),
    .init(.appNotEnrolled, nil, nil, .host, "the account is not registered, and no account is enrolled"),
    .init(.notEnrolledAccount, nil, nil, .host, "the account is not registered, and another account is enrolled"),
    .init(.failedToClearMamData, .wiping, .backOff, .device, "a key or a file of the account cannot be removed"),
    .init(
      .timeout, .offline, .backOff, nil,
      "a folder answers at once; a host that does not answer leaves its challenge open (error 8001), and a call that "
        + "exceeds its time limit is error -32003"),
    .init(.adalInternalError, nil, nil, nil, "there is no ADAL; a host without a token gets a challenge (error 8001)"),
    .init(.switchExistingAccount, nil, nil, nil, "a second account gets 227, and nothing is switched"),
    .init(.loginCanceled, nil, nil, .host, "the user canceled the sign-in"),
    .init(
      .policyRecordGone, nil, nil, nil,
      "an account whose registration was forgotten enrolls again, which ends with 100 or 103"),
    .init(.reEnrollForUnenrolledUser, nil, nil, nil, "an account that was unenrolled enrolls like a new account"),
    .init(.tenantMigration, nil, nil, nil, "a tenant folder cannot move users to another tenant"),
    .init(.unsupportedAPI, nil, nil, nil, "a server is not an app extension, so every call is supported"),
    .init(.adalMethodUnsupported, nil, nil, nil, "there is no ADAL; tokens come from the host"),
    .init(.licensedNotTargeted, .registered, .halfDay, .source, "there is neither a policy nor a configuration"),
    .init(
      .deviceBlockedEnrollment, .blocked, .day, .source,
      "an administrator blocks the user (wipeAndBlock), or the device runs Windows and is managed"),
    .init(.singleManagedAccountMode, .blocked, .day, .source, "another account is enrolled, and only one is allowed"),
  ]
}

extension AccountState {
  /// The state according to the last status that changed it.
  package var life: AccountLife {
    if isWiping { return .wiping }
    return status.flatMap { StatusMeaning(of: $0.statusCode).life } ?? (isEnrolled ? .enrolled : .registered)
  }
}

/// How long an account waits between two check-ins.
package enum CheckInInterval: String, CaseIterable, Sendable {
  case halfHour = "30 minutes"
  case halfDay = "12 hours"
  case day = "24 hours"
  case backOff = "1 minute, doubling to 60"

  /// `failures` is the number of failures in a row, including this one.
  func milliseconds(failures: Int) -> Int64 {
    switch self {
    case .halfHour: 30 * 60_000
    case .halfDay: 12 * 3_600_000
    case .day: 24 * 3_600_000
    case .backOff: min(60, 1 << Int64(min(max(failures, 1), 7) - 1)) * 60_000
    }
  }

  /// The time without an answer after which the service has forgotten the registration and the account enrolls again.
  static let registrationLifetime: Int64 = 90 * 24 * 3_600_000
}
