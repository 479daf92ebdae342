import JSON

/// What a host may do with the work data of an account, as far as the account's enrollment tells.
///
/// The conditional launch decides separately whether the data may be shown at a given moment.
package enum AccountAccess: String, CaseIterable, Hashable, Sendable, NamedValue {
  /// The account is enrolled: its policy applies, if it has one.
  case allow
  /// No policy applies to the account, and nothing is wrong: the host goes on without restrictions.
  case unmanaged
  /// The host must not show work data of the account.
  case block
  /// An attempt is not over yet: the host shows no work data of the account until it is.
  case wait
}

/// The state of a registered account in the words of the Android SDK (MAMEnrollmentManager.Result).
package enum RegisteredAccountStatus: String, CaseIterable, Hashable, Sendable, NamedValue {
  case pending, authorizationNeeded, notLicensed, enrollmentSucceeded, enrollmentFailed, wrongUser
  /// Never returned: there is no Company Portal on Linux.
  case companyPortalRequired
  case unenrollmentSucceeded, unenrollmentFailed
}

extension EnrollmentStatusCode {
  /// What the Android SDK calls this code.
  package var registeredStatus: RegisteredAccountStatus {
    switch self {
    case .newPoliciesReceived, .policiesHaveNotChanged, .noPolicyReceived, .alreadyEnrolled: .enrollmentSucceeded
    case .wipeReceived, .unenrollmentSuccess: .unenrollmentSucceeded
    case .accountNotLicensed: .notLicensed
    case .authRequired, .loginCanceled: .authorizationNeeded
    case .notEmmAccount, .mdmEnrolledDifferentUser, .notDeviceAccount, .switchExistingAccount,
      .singleManagedAccountMode:
      .wrongUser
    case .appNotEnrolled, .notEnrolledAccount, .failedToClearMamData: .unenrollmentFailed
    case .internalError, .mamServiceDisabled, .locationServiceFailure, .enrollmentEndPointNetworkFailure,
      .parsingFailure, .nilAccount, .policyEndPointNetworkFailure, .timeout, .adalInternalError, .policyRecordGone,
      .reEnrollForUnenrolledUser, .tenantMigration, .unsupportedAPI, .adalMethodUnsupported, .licensedNotTargeted,
      .deviceBlockedEnrollment:
      .enrollmentFailed
    }
  }

  /// What a host may do after this code. An enrolled account keeps its last good policy unless its data is being wiped
  /// or an administrator blocks it, so a check-in that failed blocks nothing.
  package func access(isEnrolled: Bool) -> AccountAccess {
    switch self {
    case .wipeReceived, .unenrollmentSuccess, .failedToClearMamData, .deviceBlockedEnrollment: .block
    case _ where isEnrolled: .allow
    // Only an enrolled account can end with this code.
    case .policyEndPointNetworkFailure: .allow
    case .accountNotLicensed, .licensedNotTargeted, .appNotEnrolled, .notEnrolledAccount: .unmanaged
    default: registeredStatus == .enrollmentSucceeded ? .allow : .block
    }
  }

  /// Whether the code counts as success for a host of this level on this platform. The Android SDK enrolls an account
  /// without a policy, where the iOS SDK fails.
  package func didSucceed(on platform: DevicePlatform, at level: SDKLevel) -> Bool {
    didSucceed || (self == .licensedNotTargeted && platform == .android && level >= .sdk21)
  }
}

extension EnrollmentStatus {
  /// The status as a host of this level reads it. `isEnrolled` is whether the account is enrolled now.
  package func read(on platform: DevicePlatform, at level: SDKLevel, isEnrolled: Bool) -> EnrollmentStatus {
    var status = self
    status.didSucceed = statusCode.didSucceed(on: platform, at: level)
    status.access = statusCode.access(isEnrolled: isEnrolled)
    if status.didSucceed { status.errorString = nil }
    return status
  }
}
