import JSON

/// How an attempt to enroll, to check in or to unenroll ended. Below 200: it succeeded.
public enum EnrollmentStatusCode: String, SDKEnum {
  case newPoliciesReceived, policiesHaveNotChanged, wipeReceived, noPolicyReceived, unenrollmentSuccess
  case accountNotLicensed, internalError, mamServiceDisabled, authRequired, locationServiceFailure
  case enrollmentEndPointNetworkFailure, parsingFailure, nilAccount, alreadyEnrolled, notEmmAccount
  case mdmEnrolledDifferentUser, notDeviceAccount, policyEndPointNetworkFailure, appNotEnrolled
  case notEnrolledAccount, failedToClearMamData, timeout, adalInternalError, switchExistingAccount, loginCanceled
  case policyRecordGone, reEnrollForUnenrolledUser, tenantMigration, unsupportedAPI, adalMethodUnsupported
  case licensedNotTargeted, deviceBlockedEnrollment, singleManagedAccountMode

  public static let sdkName = "IntuneMAMEnrollmentStatusCode"
  public static let sdkValues = Array(100...104) + Array(200...227)

  public var didSucceed: Bool { sdkValue < 200 }
}

extension EnrollmentStatusCode: SDKEnumValue {}
