import JSON

/// How an enrollment request ended (IntuneMAMEnrollmentStatus).
package struct EnrollmentStatus: Hashable, Sendable {
  package var accountId: String?
  package var identity: String?
  /// The user principal name before the policy source reported another one.
  package var formerIdentity: String?
  package var statusCode: EnrollmentStatusCode
  /// What went wrong and what to do about it; `nil` on success.
  package var errorString: String?
  /// Usually decided by the code alone.
  package var didSucceed: Bool
  /// What the host may do with the account's work data now.
  package var access: AccountAccess
  /// Whether a token of the user is missing. Known only while the request runs: it is neither stored nor sent.
  package var lacksToken = false

  /// The status of an account that is not enrolled, unless the code says that it is.
  package init(
    accountId: String?, identity: String?, statusCode: EnrollmentStatusCode, errorString: String? = nil
  ) {
    self.accountId = accountId
    self.identity = identity
    self.statusCode = statusCode
    self.errorString = errorString
    didSucceed = statusCode.didSucceed
    access = statusCode.access(isEnrolled: false)
  }
}

extension EnrollmentStatus: Record {
  package static let fields = Fields(
    Self.init(accountId:identity:didSucceed:statusCode:status:errorString:error:access:formerIdentity:),
    Field("accountId", \.accountId, "The Entra object id; null if unknown."),
    Field("identity", \.identity, "The user principal name; null if unknown."),
    Field("didSucceed", \.didSucceed, "Whether the account is enrolled, or was unenrolled as requested."),
    Field("statusCode", \.statusCode.sdkValue, "The status code of the SDK, 100 to 227."),
    Field("status", \.statusCode, "The name of the status code."),
    Field("errorString", \.errorString, "What went wrong and what to do about it; null on success."),
    Field("error", \.error, "The error in the form of the SDK's NSError; null on success."),
    Field(
      "access", \.statedAccess,
      "What the host may do with the account's work data; null in an event that version 0.1.0 stored."),
    Field(
      "formerIdentity", \.formerIdentity,
      "The user principal name before the user was renamed, which no longer names the account; null for never."))

  private init(
    accountId: String?, identity: String?, didSucceed: Bool, statusCode: Int, status: EnrollmentStatusCode,
    errorString: String?, error: EnrollmentError?, access: AccountAccess?, formerIdentity: String?
  ) {
    self.init(accountId: accountId, identity: identity, statusCode: status, errorString: errorString)
    self.didSucceed = didSucceed
    if let access { self.access = access }
    self.formerIdentity = formerIdentity
  }

  /// Optional, because events that version 0.1.0 stored do not have the member.
  private var statedAccess: AccountAccess? { access }

  private var error: EnrollmentError? {
    guard !didSucceed else { return nil }
    return EnrollmentError(code: statusCode.sdkValue, message: errorString ?? statusCode.rawValue)
  }
}

package struct EnrollmentError: Record {
  package var domain = "IntuneMAMEnrollmentStatus"
  package var code: Int
  package var message: String

  package static let fields = Fields(
    Self.init(domain:code:message:),
    Field("domain", \.domain, "The error domain."),
    Field("code", \.code, "The status code, as in `statusCode`."),
    Field("message", \.message, "What went wrong and what to do about it."))
}

/// How an attempt to enroll, check in or unenroll ended. Codes below 200 mean success.
package enum EnrollmentStatusCode: String, SDKEnum {
  case newPoliciesReceived, policiesHaveNotChanged, wipeReceived, noPolicyReceived, unenrollmentSuccess
  case accountNotLicensed, internalError, mamServiceDisabled, authRequired, locationServiceFailure
  case enrollmentEndPointNetworkFailure, parsingFailure, nilAccount, alreadyEnrolled, notEmmAccount
  case mdmEnrolledDifferentUser, notDeviceAccount, policyEndPointNetworkFailure, appNotEnrolled
  case notEnrolledAccount, failedToClearMamData, timeout, adalInternalError, switchExistingAccount, loginCanceled
  case policyRecordGone, reEnrollForUnenrolledUser, tenantMigration, unsupportedAPI, adalMethodUnsupported
  case licensedNotTargeted, deviceBlockedEnrollment, singleManagedAccountMode

  package static let sdkName = "IntuneMAMEnrollmentStatusCode"
  package static let sdkValues = Array(100...104) + Array(200...227)

  package var didSucceed: Bool { sdkValue < 200 }
}

extension EnrollmentStatusCode: SDKEnumValue {}
