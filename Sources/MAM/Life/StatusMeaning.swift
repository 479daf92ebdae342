import Model

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
      .authRequired, .blocked, .day, .source, "the user is not listed, is disabled, or did not sign in as requested"),
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
    .init(.deviceBlockedEnrollment, .blocked, .day, .source, "an administrator blocks the user (wipeAndBlock)"),
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
