import JSON
import Model

package enum EnrollmentRequestWithStatus: Event {
  package typealias Body = EnrollmentStatus
  package static let name = "enrollmentDelegate.enrollmentRequestWithStatus"
  package static let summary = "An attempt to enroll an account has ended."
  package static let details = """
    One for each attempt while the account is not enrolled, retries and check-ins included, and for an enrollment that is \
    made anew after 90 days without an answer of the policy source.
    """
  package static let example = EventParams(.example, EnrollmentStatus.exampleEnrolled)
  package static let sdkMembers =
    ["IntuneMAMEnrollmentDelegate -enrollmentRequestWithStatus:"] + EnrollmentStatus.sdkMembers
}

package enum PolicyRequestWithStatus: Event {
  package typealias Body = EnrollmentStatus
  package static let name = "enrollmentDelegate.policyRequestWithStatus"
  package static let summary = "A check-in of an enrolled account has ended."
  package static let example = EventParams(
    .example,
    EnrollmentStatus(
      accountId: Account.example.accountId, identity: Account.example.identity, statusCode: .policiesHaveNotChanged))
  package static let sdkMembers =
    ["IntuneMAMEnrollmentDelegate -policyRequestWithStatus:"] + EnrollmentStatus.sdkMembers
}

package enum UnenrollRequestWithStatus: Event {
  package typealias Body = EnrollmentStatus
  package static let name = "enrollmentDelegate.unenrollRequestWithStatus"
  package static let summary = "An attempt to unenroll an account has ended."
  package static let example = EventParams(
    .example,
    EnrollmentStatus(
      accountId: Account.example.accountId, identity: Account.example.identity, statusCode: .unenrollmentSuccess))
  package static let sdkMembers =
    ["IntuneMAMEnrollmentDelegate -unenrollRequestWithStatus:"] + EnrollmentStatus.sdkMembers
}

extension EnrollmentStatus {
  /// The fields of the SDK's object, which these events have as theirs.
  fileprivate static let sdkMembers = ["identity", "accountId", "didSucceed", "statusCode", "errorString", "error"]
    .map { "IntuneMAMEnrollmentStatus \($0)" }
}
