import Model
import Policy

enum PolicyDidChange: Event {
  typealias Body = Account
  static let name = "policyManager.policyDidChange"
  static let summary = "The policy of an account was added, changed or removed."
  static let example = EventParams(.example, Account.example)
  static let sdkMembers = [
    "IntuneMAMPolicyDidChangeNotification", "IntuneMAMPolicyDidChangeNotificationAccountId",
  ]
}

/// Part of the Android SDK: the notification MANAGEMENT_REMOVED.
enum ManagementRemoved: Event {
  typealias Body = Account
  static let name = "policyManager.managementRemoved"
  static let summary = "No policy applies to an account any longer, so its protected data cannot be read."
  static let details = """
    Sent after policyManager.policyDidChange when an account was unenrolled, was wiped, or lost its policy. A host that \
    declared policyDelegate.managementWillBeRemoved is told before, unless the data is wiped.
    """
  static let example = EventParams(.example, Account.example)
}

enum WipeDidComplete: Event {
  typealias Body = Account
  static let name = "policyManager.wipeDidComplete"
  static let summary = "The keys and files that the app had for an account were wiped."
  static let details = """
    Sent for every wipe, whether the host, an administrator or a launch check asked for it. The events of the \
    account's unenrollment follow.
    """
  static let example = EventParams(.example, Account.example)
  static let sdkMembers = ["IntuneMAMWipeDidCompleteNotification"]
}

enum AppConfigDidChange: Event {
  typealias Body = Account
  static let name = "appConfig.didChange"
  static let summary = "The app configuration of an account was added, changed or removed."
  static let example = EventParams(.example, Account.example)
  static let sdkMembers = [
    "IntuneMAMAppConfigDidChangeNotification", "IntuneMAMAppConfigDidChangeNotificationAccountId",
  ]
}

enum DataProtectionDidChange: Event {
  typealias Body = Account
  static let name = "dataProtectionManager.didChange"
  static let summary = "The protection of a managed account's data changed. Protect the data again."
  static let details = """
    Sent when a policy starts or stops requiring encrypted files, and when an administrator gives the account new \
    keys. Data that was protected before stays readable.
    """
  static let example = EventParams(.example, Account.example)
  static let sdkMembers = [
    "IntuneMAMDataProtectionDidChangeNotification", "IntuneMAMDataProtectionDidChangeNotificationAccountId",
  ]
}

enum UserStatusDidChange: Event {
  typealias Body = Account
  static let name = "userStatusManager.userStatusDidChange"
  static let summary = "The result of userStatusManager.userStatus changed for an account."
  static let details = "The cause is a check-in, or data of the time clock that has become an hour old."
  static let example = EventParams(.example, Account.example)
  static let sdkMembers = [
    "IntuneMAMUserStatusDidChangeNotification", "IntuneMAMUserStatusDidChangeNotificationAccountId",
  ]
}

enum AllowedAccountsDidChange: Event {
  typealias Body = AllowedAccounts
  static let name = "enrollmentManager.allowedAccountsDidChange"
  static let summary = "The administrator changed which accounts are allowed in the app."
  static let example = EventParams(.example, AllowedAccounts(allowedAccounts: [.example]))
  static let sdkMembers = ["IntuneMAMAllowedAccountsDidChangeNotification"]
}

enum MDMEnrolledAccountDidChange: Event {
  typealias Body = Account
  static let name = "enrollmentManager.mdmEnrolledAccountDidChange"
  static let summary = "The result of enrollmentManager.mdmEnrolledAccountFromCache changed."
  static let details = """
    accountId and identity are both null if the device is no longer managed for a user. The policy source is asked at \
    each check-in, after initialize, by conditionalLaunch.didBecomeActive, and by both methods that return the user.
    """
  static let example = EventParams(.example, Account.example)
  static let sdkMembers = [
    "IntuneMAMMDMEnrolledAccountIdDidChangeNotification", "IntuneMAMMDMEnrolledAccountIdKey",
  ]
}

enum HasComplianceStatus: Event {
  typealias Body = ComplianceReport
  static let name = "complianceDelegate.hasComplianceStatus"
  static let summary = "A compliance remediation ended."
  static let details =
    "Sent once for each remediation, however many calls of complianceManager.remediateCompliance waited for it."
  static let example = EventParams(
    .example, ComplianceReport(.example, .compliant, message: "The requirements are met.", title: "Ready"))
  static let sdkMembers = [
    "IntuneMAMComplianceDelegate -identity:hasComplianceStatus:withErrorMessage:andErrorTitle:",
    "IntuneMAMComplianceDelegate -accountId:hasComplianceStatus:withErrorMessage:andErrorTitle:",
  ]
}

enum RestartRequired: Event {
  typealias Body = RestartNotice
  static let name = "policyManager.restartRequired"
  static let summary = "An account received its first policy, and the user must restart the host."
  static let details =
    "Sent if policyDelegate.restartApplication was answered with false or not at all. The policy is already in force."
  static let example = EventParams(
    .example, RestartNotice(.example, message: "Restart the app."))
}

enum DidReportLaunch: Event {
  typealias Body = LaunchReport
  static let name = "policyManager.launchReport"
  static let summary = "A host launched with a verdict other than allow, or an account was enrolled at launch."
  static let details = """
    Sent by an initialize call whose verdict is not allow, or that tried to enroll an account on its own \
    (AutoEnrollOnLaunch). The result of initialize holds the same report, with the conditional launch. If a policy \
    arrives later, policyManager.policyDidChange reports it.
    """
  static let example = EventParams(.example, LaunchReport.exampleBlocked)
}

extension LaunchReport {
  static let exampleBlocked = LaunchReport(
    verdict: .block,
    reasons: [Reason(.mamPolicyRequired, "The app requires a policy, and no account has one.")])
}

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
