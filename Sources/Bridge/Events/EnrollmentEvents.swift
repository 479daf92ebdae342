import Model

enum EnrollmentRequestWithStatus: Event {
  typealias Body = EnrollmentStatus
  static let name = "enrollmentDelegate.enrollmentRequestWithStatus"
  static let summary = "An attempt to enroll an account has ended."
  static let details = """
    One for each attempt while the account is not enrolled, retries and check-ins included, and for an enrollment that \
    is made anew after 90 days without an answer of the policy source.
    """
  static let example = EventParams(.example, EnrollmentStatus.exampleEnrolled)
  static let sdkMembers =
    ["IntuneMAMEnrollmentDelegate -enrollmentRequestWithStatus:"] + EnrollmentStatus.sdkMembers
}

enum PolicyRequestWithStatus: Event {
  typealias Body = EnrollmentStatus
  static let name = "enrollmentDelegate.policyRequestWithStatus"
  static let summary = "A check-in of an enrolled account has ended."
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
  static let summary = "An attempt to unenroll an account has ended."
  static let example = EventParams(
    .example,
    EnrollmentStatus(
      accountId: Account.example.accountId, identity: Account.example.identity, statusCode: .unenrollmentSuccess))
  static let sdkMembers =
    ["IntuneMAMEnrollmentDelegate -unenrollRequestWithStatus:"] + EnrollmentStatus.sdkMembers
}

extension EnrollmentStatus {
  /// The fields of the SDK's object, which these events have as theirs.
  fileprivate static let sdkMembers = ["identity", "accountId", "didSucceed", "statusCode", "errorString", "error"]
    .map { "IntuneMAMEnrollmentStatus \($0)" }
}
