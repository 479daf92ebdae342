import Model
import Policy

enum PolicyDidChange: Event {
  typealias Body = Account
  static let name = "policyManager.policyDidChange"
  static let summary = "The policy of an account has changed, has come or has gone."
  static let example = EventParams(.example, Account.example)
  static let sdkMembers = [
    "IntuneMAMPolicyDidChangeNotification", "IntuneMAMPolicyDidChangeNotificationAccountId",
  ]
}

enum WipeDidComplete: Event {
  typealias Body = Account
  static let name = "policyManager.wipeDidComplete"
  static let summary = "What the app held of an account is gone: its keys and its files."
  static let details = """
    Whoever asked for it: the host, an administrator, or a check at launch. Behind it come the end of the account's \
    enrollment and the changes that this brings.
    """
  static let example = EventParams(.example, Account.example)
  static let sdkMembers = ["IntuneMAMWipeDidCompleteNotification"]
}

enum AppConfigDidChange: Event {
  typealias Body = Account
  static let name = "appConfig.didChange"
  static let summary = "The app configuration of an account has changed, has come or has gone."
  static let example = EventParams(.example, Account.example)
  static let sdkMembers = [
    "IntuneMAMAppConfigDidChangeNotification", "IntuneMAMAppConfigDidChangeNotificationAccountId",
  ]
}

enum DataProtectionDidChange: Event {
  typealias Body = Account
  static let name = "dataProtectionManager.didChange"
  static let summary = "How the data of a managed account is protected has changed: protect it anew."
  static let details = """
    Sent when a policy begins or ceases to require encrypted files, and when an administrator has given the account \
    new keys. What was protected before stays readable.
    """
  static let example = EventParams(.example, Account.example)
  static let sdkMembers = [
    "IntuneMAMDataProtectionDidChangeNotification", "IntuneMAMDataProtectionDidChangeNotificationAccountId",
  ]
}

enum UserStatusDidChange: Event {
  typealias Body = Account
  static let name = "userStatusManager.userStatusDidChange"
  static let summary = "What userStatusManager.userStatus answers for an account has changed."
  static let details = "By a check-in, or because what the time clock said has become an hour old."
  static let example = EventParams(.example, Account.example)
  static let sdkMembers = [
    "IntuneMAMUserStatusDidChangeNotification", "IntuneMAMUserStatusDidChangeNotificationAccountId",
  ]
}

enum AllowedAccountsDidChange: Event {
  typealias Body = AllowedAccounts
  static let name = "enrollmentManager.allowedAccountsDidChange"
  static let summary = "The administrator has changed which accounts may be used in the app."
  static let example = EventParams(.example, AllowedAccounts(allowedAccounts: [.example]))
  static let sdkMembers = ["IntuneMAMAllowedAccountsDidChangeNotification"]
}

enum HasComplianceStatus: Event {
  typealias Body = ComplianceReport
  static let name = "complianceDelegate.hasComplianceStatus"
  static let summary = "A remediation of compliance has ended."
  static let details = """
    One for each complianceManager.remediateCompliance that came to its end, however many calls waited for it.
    """
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
  static let summary = "An account has its first policy, and the host does not restart itself: the user must."
  static let details = """
    Told when policyDelegate.restartApplication was answered with false, or by nobody. The policy is in force already.
    """
  static let example = EventParams(
    .example, RestartNotice(.example, message: "Restart the app."))
}

enum DidReportLaunch: Event {
  typealias Body = LaunchReport
  static let name = "policyManager.launchReport"
  static let summary = "A host has started and may not simply go on, or the core enrolled an account for it."
  static let details = """
    At an initialize whose verdict is not allow, and at one that tried to enroll on its own (AutoEnrollOnLaunch). Its \
    result holds the same report, with the conditional launch. When policy comes later, policyManager.policyDidChange \
    tells.
    """
  static let example = EventParams(.example, LaunchReport.exampleBlocked)
}

extension LaunchReport {
  static let exampleBlocked = LaunchReport(
    verdict: .block,
    reasons: [Reason(.mamPolicyRequired, "The application needs a policy, and no account has one.")])
}
