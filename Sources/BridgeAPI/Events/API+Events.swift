extension API {
  /// The one list of events, in the order of the document.
  package static let events: [any Event.Type] = [
    EnrollmentRequestWithStatus.self, PolicyRequestWithStatus.self, UnenrollRequestWithStatus.self,
    PolicyDidChange.self, WipeDidComplete.self, AppConfigDidChange.self, DataProtectionDidChange.self,
    RestartRequired.self, DidReportLaunch.self, UserStatusDidChange.self, AllowedAccountsDidChange.self,
    HasComplianceStatus.self,
  ]

  /// All that the document lists under x-events.
  package static let notifications: [any Notification.Type] =
    events + [EventsGap.self, LoggerLog.self, LogAriaEvent.self]
}
