import Model
import Support

/// What a finding means for an account. This table determines the life of all accounts.
///
/// A refusal without a wipe changes nothing: an enrolled account keeps its last good policy, and any other account stays
/// registered. If the user is disabled or deleted, a policy whose appActionIfUnableToAuthenticateUser is wipe turns the
/// refusal into a wipe. A user who is not listed, a missing or refused token, and a failure of the source never do: only
/// an answer of the source about the user says that a user may no longer sign in.
package struct LifeRule: Sendable {
  package let finding: Finding
  /// Whether the account must be enrolled for the rule to apply; nil if that does not matter.
  package let isEnrolled: Bool?
  package let code: EnrollmentStatusCode
  /// When the account checks in again. A source may name another time with what it delivers.
  package let interval: CheckInInterval
  /// The types of the events after the status. Each is sent only if its value changed.
  package let changes: [String]
  /// Whether the account's data is removed from the app.
  package let wipes: Bool

  private init(
    _ finding: Finding, isEnrolled: Bool? = nil, _ code: EnrollmentStatusCode, _ interval: CheckInInterval,
    changes: [String] = [], wipes: Bool = false
  ) {
    self.finding = finding
    self.isEnrolled = isEnrolled
    self.code = code
    self.interval = interval
    self.changes = changes
    self.wipes = wipes
  }

  /// The resulting state.
  package var meaning: StatusMeaning { StatusMeaning(of: code) }

  package func holds(isEnrolled: Bool) -> Bool { self.isEnrolled.map { $0 == isEnrolled } ?? true }

  /// `nil` for a finding that an account in this state cannot have.
  static func rule(for finding: Finding, isEnrolled: Bool) -> LifeRule? {
    all.first { $0.finding == finding && $0.holds(isEnrolled: isEnrolled) }
  }

  private static let policy = "policyManager.policyDidChange"
  private static let management = "policyManager.managementRemoved"
  private static let appConfig = "appConfig.didChange"
  private static let dataProtection = "dataProtectionManager.didChange"
  private static let userStatus = "userStatusManager.userStatusDidChange"

  package static let all: [LifeRule] = [
    LifeRule(.noNetwork, isEnrolled: false, .enrollmentEndPointNetworkFailure, .backOff),
    LifeRule(.noNetwork, isEnrolled: true, .policyEndPointNetworkFailure, .backOff),
    LifeRule(.noSource, .locationServiceFailure, .day),
    LifeRule(.damagedSource, .parsingFailure, .day),
    LifeRule(.unstartableSource, .locationServiceFailure, .hour),
    LifeRule(.brokenSource, .parsingFailure, .shortBackOff),
    LifeRule(.unreachableSource, isEnrolled: false, .enrollmentEndPointNetworkFailure, .shortBackOff),
    LifeRule(.unreachableSource, isEnrolled: true, .policyEndPointNetworkFailure, .shortBackOff),
    LifeRule(.noReply, .timeout, .shortBackOff),
    LifeRule(.serviceDisabled, .mamServiceDisabled, .day),
    LifeRule(.signInNeeded, .authRequired, .shortBackOff),
    LifeRule(.tokenCommandFailed, .adalInternalError, .shortBackOff),
    LifeRule(.signInCanceled, .loginCanceled, .shortBackOff),
    LifeRule(.unlistedUser, .authRequired, .day),
    LifeRule(.wipe, .wipeReceived, .backOff, wipes: true),
    LifeRule(.heldWipe, .deviceBlockedEnrollment, .halfHour),
    LifeRule(.blockedUser, .deviceBlockedEnrollment, .day, wipes: true),
    LifeRule(.deletedUser, .authRequired, .day),
    LifeRule(.disabledUser, .authRequired, .day),
    LifeRule(.noToken, .authRequired, .day),
    LifeRule(.managedDevice, isEnrolled: false, .deviceBlockedEnrollment, .day),
    LifeRule(.otherMDMUser, .mdmEnrolledDifferentUser, .day),
    LifeRule(.unlicensedUser, .accountNotLicensed, .halfDay),
    LifeRule(.damagedPolicies, .parsingFailure, .halfHour),
    LifeRule(.otherAccount, isEnrolled: false, .singleManagedAccountMode, .day),
    LifeRule(.newPolicy, .newPoliciesReceived, .halfHour, changes: [policy, dataProtection, appConfig, userStatus]),
    LifeRule(.samePolicy, isEnrolled: true, .policiesHaveNotChanged, .halfHour, changes: [appConfig, userStatus]),
    LifeRule(
      .noPolicy, .noPolicyReceived, .halfDay, changes: [policy, dataProtection, management, appConfig, userStatus]),
    LifeRule(.nothing, isEnrolled: false, .licensedNotTargeted, .halfDay),
  ]
}

/// The finding of an enrollment or a check-in. If several apply, the first one counts.
///
/// The order is: who the user is, what the administrator grants, what this app allows. A user who does what the text of a
/// status says therefore never meets an earlier refusal afterwards. Wipes are the exception and come earlier, so that the
/// data of a disabled user is wiped too.
package enum Finding: String, CaseIterable, Sendable {
  case noNetwork, noSource, damagedSource
  case unstartableSource, brokenSource, unreachableSource, noReply, serviceDisabled
  case signInNeeded, tokenCommandFailed, signInCanceled
  case unlistedUser, heldWipe, wipe, blockedUser, deletedUser, disabledUser, noToken, managedDevice, otherMDMUser
  case unlicensedUser, damagedPolicies, otherAccount
  case newPolicy, samePolicy, noPolicy, nothing

  /// Whether a token is missing or refused.
  var isOfToken: Bool { [.noToken, .signInNeeded, .tokenCommandFailed, .signInCanceled].contains(self) }

  /// Whether the source says something about the user. It does not without a token that it accepts, or if it does not
  /// list the user: absence tells nothing.
  var saysSomething: Bool { !isOfToken && self != .unlistedUser }

  /// Whether the source says that the user may no longer sign in.
  var refusesSignIn: Bool { self == .disabledUser || self == .deletedUser }

  package var text: String {
    switch self {
    case .noNetwork: "the device has no network"
    case .noSource: "there is no policy source"
    case .damagedSource: "tenant.json cannot be read"
    case .damagedPolicies: "a file of policies or configurations cannot be read, or says nothing"
    case .unstartableSource: "the program that is the policy source cannot be started"
    case .brokenSource: "the program that is the policy source ended, or its answer is no answer"
    case .unreachableSource: "the policy source cannot reach its service, or the service is too busy"
    case .noReply: "the policy source does not answer in time"
    case .serviceDisabled: "the service is switched off for the tenant"
    case .signInNeeded: "the policy source wants the user to sign in"
    case .tokenCommandFailed: "the token command gave no token for a policy source that wants one"
    case .signInCanceled: "the user canceled the sign-in of the policy source"
    case .unlistedUser: "the policy source does not list the user"
    case .heldWipe: "an administrator requested a wipe of the user's data, and wipes are on hold"
    case .wipe: "an administrator requested a wipe of the user's data"
    case .deletedUser: "the user's account is deleted"
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
  /// What causes the code in mambridge; nil if nothing does, and the text says why.
  package let origin: Origin?
  package let text: String

  package enum Origin: String, Sendable { case host, device, source = "policy source" }

  private init(
    _ code: EnrollmentStatusCode, _ life: AccountLife? = nil, _ origin: Origin? = nil, _ text: String
  ) {
    self.code = code
    self.life = life
    self.origin = origin
    self.text = text
  }

  package init(of code: EnrollmentStatusCode) {
    self = Self.all.first { $0.code == code } ?? Self(code, .blocked, nil, "the status is unknown")
  }

  /// Whether the policy source answered about the account: neither the network nor the policy source failed.
  var isAnswer: Bool { life != nil && life != .retrying && life != .offline }

  /// Every code once, in the order of the SDK.
  package static let all: [StatusMeaning] = [
    .init(
      .newPoliciesReceived, .enrolled, .source, "there is a policy, and the policy or the account is new"),
    .init(.policiesHaveNotChanged, .enrolled, .source, "the policy is the same as before"),
    .init(.wipeReceived, .wiping, .source, "an administrator requested a wipe of the user's data"),
    .init(
      .noPolicyReceived, .enrolled, .source,
      "there is a configuration but no policy, or the account no longer has a policy"),
    .init(.unenrollmentSuccess, .unenrolled, .host, "the host unenrolled the account, or the account was wiped"),
    .init(.accountNotLicensed, .blocked, .source, "the user has no license"),
    .init(.internalError, nil, nil, "an internal error is error -32603, or 6001 to 6007, and changes nothing"),
    .init(.mamServiceDisabled, .retrying, .source, "the service is switched off for the tenant"),
    .init(
      .authRequired, .blocked, .source,
      "the user is not listed, is disabled or deleted, or did not sign in as requested, or there is no token for the user"
    ),
    .init(.locationServiceFailure, .retrying, .source, "there is no policy source, or it cannot be started"),
    .init(
      .enrollmentEndPointNetworkFailure, .offline, .device,
      "there is no network, or the policy source cannot reach its service, and the account is not enrolled"),
    .init(
      .parsingFailure, .retrying, .source,
      "a file of the policy source cannot be read, or the program that is the source failed"),
    .init(.nilAccount, nil, .host, "the request names no account"),
    .init(.alreadyEnrolled, nil, .host, "the account is already enrolled"),
    .init(.notEmmAccount, nil, nil, "a user that the device is not managed for gets 210"),
    .init(.mdmEnrolledDifferentUser, .blocked, .source, "the device is managed for another user"),
    .init(.notDeviceAccount, nil, nil, "a device has no accounts of its own in mambridge"),
    .init(
      .policyEndPointNetworkFailure, .offline, .device,
      "there is no network, or the policy source cannot reach its service, and the account is enrolled"),
    .init(.appNotEnrolled, nil, .host, "the account is not registered, and no account is enrolled"),
    .init(.notEnrolledAccount, nil, .host, "the account is not registered, and another account is enrolled"),
    .init(.failedToClearMamData, .wiping, .device, "a key or a file of the account cannot be removed"),
    .init(
      .timeout, .offline, .source,
      "the policy source did not answer in time; a host that does not answer leaves its challenge open (error 8001), "
        + "and a call that exceeds its time limit is error -32003"),
    .init(.adalInternalError, .blocked, .source, "the token command gave no token for a policy source that wants one"),
    .init(.switchExistingAccount, nil, nil, "a second account gets 227, and nothing is switched"),
    .init(.loginCanceled, .blocked, .host, "the user canceled the sign-in"),
    .init(
      .policyRecordGone, nil, nil,
      "an account whose registration was forgotten enrolls again, which ends with 100 or 103"),
    .init(.reEnrollForUnenrolledUser, nil, nil, "an account that was unenrolled enrolls like a new account"),
    .init(.tenantMigration, nil, nil, "a tenant folder cannot move users to another tenant"),
    .init(.unsupportedAPI, nil, nil, "a server is not an app extension, so every call is supported"),
    .init(.adalMethodUnsupported, nil, nil, "there is no ADAL; tokens come from the host"),
    .init(.licensedNotTargeted, .registered, .source, "there is neither a policy nor a configuration"),
    .init(
      .deviceBlockedEnrollment, .blocked, .source,
      "an administrator blocks the user (wipeAndBlock), a wipe is on hold, or the device runs Windows and is managed"),
    .init(.singleManagedAccountMode, .blocked, .source, "another account is enrolled, and only one is allowed"),
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
  case hour = "1 hour"
  case backOff = "1 minute, doubling to 60"
  /// For failures that often end soon, and that nothing reports to the bridge.
  case shortBackOff = "1 second, doubling to 5 minutes"

  /// Whether the wait grows with each failure in a row.
  var grows: Bool { self == .backOff || self == .shortBackOff }

  /// `failures` is the number of failures in a row, including this one.
  func milliseconds(failures: Int) -> Int64 {
    switch self {
    case .halfHour: 30 * 60_000
    case .halfDay: 12 * 3_600_000
    case .day: 24 * 3_600_000
    case .hour: 3_600_000
    case .backOff: min(60, doubled(failures)) * 60_000
    case .shortBackOff: min(300, doubled(failures)) * 1000
    }
  }

  private func doubled(_ failures: Int) -> Int64 { 1 << Int64(min(max(failures, 1), 10) - 1) }

  /// The time without an answer after which the service has forgotten the registration and the account enrolls again.
  static let registrationLifetime: Int64 = 90 * 24 * 3_600_000
}
