import Model

/// What a status code means for the life of the account that gets it.
package struct StatusMeaning: Sendable {
  package let code: EnrollmentStatusCode
  /// Where a registered account stands then; nil where the code leaves it as it was.
  package let life: AccountLife?
  /// When it checks in again; nil with `life`.
  package let interval: CheckInInterval?
  /// Who can cause it here; nil for nobody, and the text says why.
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
    self = Self.all.first { $0.code == code } ?? Self(code, .blocked, .day, nil, "unknown")
  }

  /// Whether the policy source said something of the account: neither the network nor the source itself failed.
  var isAnswer: Bool { life != nil && life != .retrying && life != .offline }

  /// Each code once, in the order of the SDK.
  package static let all: [StatusMeaning] = [
    .init(.newPoliciesReceived, .enrolled, .halfHour, .source, "there is a policy, and it or the account is new"),
    .init(.policiesHaveNotChanged, .enrolled, .halfHour, .source, "the policy is the same as before"),
    .init(.wipeReceived, .wiping, .backOff, .source, "an administrator wipes the user's data"),
    .init(
      .noPolicyReceived, .enrolled, .halfDay, .source, "there is configuration but no policy, or the policy is gone"),
    .init(.unenrollmentSuccess, .unenrolled, nil, .host, "the host unenrolled the account, or it was wiped"),
    .init(.accountNotLicensed, .blocked, .halfDay, .source, "the user has no license"),
    .init(.internalError, nil, nil, nil, "an internal fault is error -32603 or 6001 to 6007, and changes nothing"),
    .init(.mamServiceDisabled, nil, nil, nil, "a tenant folder cannot switch the service off"),
    .init(.authRequired, .blocked, .day, .source, "the user is not listed, disabled, or did not sign in as asked"),
    .init(.locationServiceFailure, .retrying, .day, .source, "there is no policy source"),
    .init(
      .enrollmentEndPointNetworkFailure, .offline, .backOff, .device, "there is no network, and it is not enrolled"),
    .init(.parsingFailure, .retrying, .day, .source, "a file of the policy source cannot be read"),
    .init(.nilAccount, nil, nil, .host, "the request names no account"),
    .init(.alreadyEnrolled, nil, nil, .host, "the account is enrolled already"),
    .init(.notEmmAccount, nil, nil, nil, "a user who is not the device management's gets 210"),
    .init(.mdmEnrolledDifferentUser, .blocked, .day, .source, "the device is managed for another user"),
    .init(.notDeviceAccount, nil, nil, nil, "there are no accounts of the device itself"),
    .init(.policyEndPointNetworkFailure, .offline, .backOff, .device, "there is no network, and it is enrolled"),
    .init(.appNotEnrolled, nil, nil, .host, "the account is not registered, and none is enrolled"),
    .init(.notEnrolledAccount, nil, nil, .host, "the account is not registered, another is enrolled"),
    .init(.failedToClearMamData, .wiping, .backOff, .device, "a key or a file of the account cannot be removed"),
    .init(
      .timeout, .offline, .backOff, nil,
      "a folder answers at once; of a host that does not answer the challenge is left, error 8001, and what it limits in "
        + "time is error -32003"),
    .init(.adalInternalError, nil, nil, nil, "there is no ADAL; a host that has no token gets a challenge, error 8001"),
    .init(.switchExistingAccount, nil, nil, nil, "a second account gets 227 and switches nothing"),
    .init(.loginCanceled, nil, nil, .host, "the user canceled the sign-in that a login asked for"),
    .init(.policyRecordGone, nil, nil, nil, "a forgotten registration is made anew, which ends with 100 or 103"),
    .init(.reEnrollForUnenrolledUser, nil, nil, nil, "an account that was unenrolled enrolls like a new one"),
    .init(.tenantMigration, nil, nil, nil, "a tenant folder cannot move users to another tenant"),
    .init(.unsupportedAPI, nil, nil, nil, "a server is no app extension: every call is supported"),
    .init(.adalMethodUnsupported, nil, nil, nil, "there is no ADAL; tokens come from the host"),
    .init(.licensedNotTargeted, .registered, .halfDay, .source, "there is neither policy nor configuration"),
    .init(.deviceBlockedEnrollment, .blocked, .day, .source, "an administrator blocks the user by wipeAndBlock"),
    .init(.singleManagedAccountMode, .blocked, .day, .source, "another account is enrolled, and one may be"),
  ]
}

extension AccountState {
  /// Where it stands by the last status that meant something for it.
  package var life: AccountLife {
    if isWiping { return .wiping }
    return status.flatMap { StatusMeaning(of: $0.statusCode).life } ?? (isEnrolled ? .enrolled : .registered)
  }
}
