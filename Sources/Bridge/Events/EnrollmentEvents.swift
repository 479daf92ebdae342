import Model

enum EnrollmentRequestWithStatus: Event {
  typealias Body = EnrollmentStatus
  static let name = "enrollmentDelegate.enrollmentRequestWithStatus"
  static let summary = "An attempt to enroll an account ended."
  static let details = """
    Sent for each attempt while the account is not enrolled, including retries and check-ins, and when an account is \
    enrolled again because the policy source did not answer for 90 days.
    """
  static let example = EventParams(.example, EnrollmentStatus.exampleEnrolled)
  static let sdkMembers =
    ["IntuneMAMEnrollmentDelegate -enrollmentRequestWithStatus:"] + EnrollmentStatus.sdkMembers
}

enum PolicyRequestWithStatus: Event {
  typealias Body = EnrollmentStatus
  static let name = "enrollmentDelegate.policyRequestWithStatus"
  static let summary = "A check-in of an enrolled account ended."
  static let example = EventParams(
    .example,
    EnrollmentStatus(
      accountId: Account.example.accountId, identity: Account.example.identity, statusCode: .policiesHaveNotChanged))
  static let sdkMembers =
    ["IntuneMAMEnrollmentDelegate -policyRequestWithStatus:"] + EnrollmentStatus.sdkMembers
}

enum UnenrollRequestWithStatus: Event {
  typealias Body = EnrollmentStatus
  static let name = "enrollmentDelegate.unenrollRequestWithStatus"
  static let summary = "An attempt to unenroll an account ended."
  static let example = EventParams(
    .example,
    EnrollmentStatus(
      accountId: Account.example.accountId, identity: Account.example.identity, statusCode: .unenrollmentSuccess))
  static let sdkMembers =
    ["IntuneMAMEnrollmentDelegate -unenrollRequestWithStatus:"] + EnrollmentStatus.sdkMembers
}

extension EnrollmentStatus {
  /// The fields of the SDK's status object, which are the fields of these events.
  fileprivate static let sdkMembers = ["identity", "accountId", "didSucceed", "statusCode", "errorString", "error"]
    .map { "IntuneMAMEnrollmentStatus \($0)" }
}
