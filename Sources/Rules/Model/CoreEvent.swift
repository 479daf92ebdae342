import JSON

/// An event, usually about an account. Events are stored with a number and a time, and sent to hosts.
package enum CoreEvent: Hashable, Sendable {
  case enrollmentRequestWithStatus(EnrollmentStatus)
  case policyRequestWithStatus(EnrollmentStatus)
  case unenrollRequestWithStatus(EnrollmentStatus)
  case policyDidChange(Account)
  case managementRemoved(Account)
  case wipeDidComplete(Account)
  case appConfigDidChange(Account)
  case dataProtectionDidChange(Account)
  case launchReport(LaunchReport)
  case restartRequired(RestartNotice)
  case allowedAccountsDidChange(AllowedAccounts)
  /// With both names `nil` if the device is managed for nobody.
  case mdmEnrolledAccountDidChange(Account)
  case userStatusDidChange(Account)
  case hasComplianceStatus(ComplianceReport)
  /// For each window, these two alternate.
  case sdkDidTakeOverUI(ScreenNotice)
  case sdkDidReleaseUI(ScreenNotice)
  case strictViolation(StrictViolation)

  /// The name of the notification.
  package var type: String {
    switch self {
    case .enrollmentRequestWithStatus: "enrollmentDelegate.enrollmentRequestWithStatus"
    case .policyRequestWithStatus: "enrollmentDelegate.policyRequestWithStatus"
    case .unenrollRequestWithStatus: "enrollmentDelegate.unenrollRequestWithStatus"
    case .policyDidChange: "policyManager.policyDidChange"
    case .managementRemoved: "policyManager.managementRemoved"
    case .wipeDidComplete: "policyManager.wipeDidComplete"
    case .appConfigDidChange: "appConfig.didChange"
    case .dataProtectionDidChange: "dataProtectionManager.didChange"
    case .launchReport: "policyManager.launchReport"
    case .restartRequired: "policyManager.restartRequired"
    case .allowedAccountsDidChange: "enrollmentManager.allowedAccountsDidChange"
    case .mdmEnrolledAccountDidChange: "enrollmentManager.mdmEnrolledAccountDidChange"
    case .userStatusDidChange: "userStatusManager.userStatusDidChange"
    case .hasComplianceStatus: "complianceDelegate.hasComplianceStatus"
    case .sdkDidTakeOverUI: "policyManager.sdkDidTakeOverUI"
    case .sdkDidReleaseUI: "policyManager.sdkDidReleaseUI"
    case .strictViolation: "strictMode.violation"
    }
  }

  /// The members of the notification other than `seq` and `time`, as JSON text.
  package var body: String {
    switch self {
    case .enrollmentRequestWithStatus(let status), .policyRequestWithStatus(let status),
      .unenrollRequestWithStatus(let status):
      status.jsonText
    case .launchReport(let report): report.jsonText
    case .restartRequired(let notice): notice.jsonText
    case .policyDidChange(let account), .wipeDidComplete(let account), .appConfigDidChange(let account),
      .dataProtectionDidChange(let account), .userStatusDidChange(let account), .managementRemoved(let account),
      .mdmEnrolledAccountDidChange(let account):
      account.jsonText
    case .allowedAccountsDidChange(let accounts): accounts.jsonText
    case .hasComplianceStatus(let report): report.jsonText
    case .sdkDidTakeOverUI(let notice), .sdkDidReleaseUI(let notice): notice.jsonText
    case .strictViolation(let violation): violation.jsonText
    }
  }
}

/// The notice that the app must be restarted: for which account, and what to tell the user.
package struct RestartNotice: Hashable, Sendable {
  package var accountId: String?
  package var identity: String?
  package var message: String

  package init(_ account: Account, message: String) {
    self.init(accountId: account.accountId, identity: account.identity, message: message)
  }

  private init(accountId: String?, identity: String?, message: String) {
    self.accountId = accountId
    self.identity = identity
    self.message = message
  }
}

extension RestartNotice: Record {
  package static let fields = Fields(
    Self.init(accountId:identity:message:),
    Field("accountId", \.accountId, "The Entra object id; null if unknown."),
    Field("identity", \.identity, "The user principal name; null if unknown."),
    Field("message", \.message, "What to tell the user."))
}

/// The notice that a screen of the SDK is up in a window, or no longer: a challenge or a request to the host.
package struct ScreenNotice: Hashable, Sendable {
  package var accountId: String?
  package var identity: String?
  /// `nil` for the app as a whole.
  package var window: String?

  package init(accountId: String?, identity: String?, window: String?) {
    self.accountId = accountId
    self.identity = identity
    self.window = window
  }
}

extension ScreenNotice: Record {
  package static let fields = Fields(
    Self.init(accountId:identity:window:),
    Field("accountId", \.accountId, "The Entra object id of the account that the screen is about; null if unknown."),
    Field("identity", \.identity, "The user principal name; null if unknown."),
    Field("window", \.window, "The host's name for the window; null for the app as a whole."))
}
