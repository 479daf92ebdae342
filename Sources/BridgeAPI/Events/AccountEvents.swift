import JSON
import Model
import Support

package enum PolicyDidChange: Event {
  package typealias Body = Account
  package static let name = "policyManager.policyDidChange"
  package static let summary = "The policy of an account has changed, has come or has gone."
  package static let example = EventParams(.example, Account.example)
  package static let sdkMembers = [
    "IntuneMAMPolicyDidChangeNotification", "IntuneMAMPolicyDidChangeNotificationAccountId",
  ]
}

package enum WipeDidComplete: Event {
  package typealias Body = Account
  package static let name = "policyManager.wipeDidComplete"
  package static let summary = "What the app held of an account is gone: its keys and its files."
  package static let details = """
    Whoever asked for it: the host, an administrator, or a check at launch. Behind it come the end of the account's \
    enrollment and the changes that this brings.
    """
  package static let example = EventParams(.example, Account.example)
  package static let sdkMembers = ["IntuneMAMWipeDidCompleteNotification"]
}

package enum AppConfigDidChange: Event {
  package typealias Body = Account
  package static let name = "appConfig.didChange"
  package static let summary = "The app configuration of an account has changed, has come or has gone."
  package static let example = EventParams(.example, Account.example)
  package static let sdkMembers = [
    "IntuneMAMAppConfigDidChangeNotification", "IntuneMAMAppConfigDidChangeNotificationAccountId",
  ]
}

package enum DataProtectionDidChange: Event {
  package typealias Body = Account
  package static let name = "dataProtectionManager.didChange"
  package static let summary = "How the data of a managed account is protected has changed: protect it anew."
  package static let details = """
    Sent when a policy begins or ceases to require encrypted files, and when an administrator has given the account \
    new keys. What was protected before stays readable.
    """
  package static let example = EventParams(.example, Account.example)
  package static let sdkMembers = [
    "IntuneMAMDataProtectionDidChangeNotification", "IntuneMAMDataProtectionDidChangeNotificationAccountId",
  ]
}

package enum UserStatusDidChange: Event {
  package typealias Body = Account
  package static let name = "userStatusManager.userStatusDidChange"
  package static let summary = "What userStatusManager.userStatus answers for an account has changed."
  package static let details = "By a check-in, or because what the time clock said has become an hour old."
  package static let example = EventParams(.example, Account.example)
  package static let sdkMembers = [
    "IntuneMAMUserStatusDidChangeNotification", "IntuneMAMUserStatusDidChangeNotificationAccountId",
  ]
}

package enum AllowedAccountsDidChange: Event {
  package typealias Body = AllowedAccounts
  package static let name = "enrollmentManager.allowedAccountsDidChange"
  package static let summary = "The administrator has changed which accounts may be used in the app."
  package static let example = EventParams(.example, AllowedAccounts(allowedAccounts: [.example]))
  package static let sdkMembers = ["IntuneMAMAllowedAccountsDidChangeNotification"]
}

extension EventStamp {
  static let example = EventStamp(seq: 7, time: Timestamp(milliseconds: 1_770_000_000_000))
}
