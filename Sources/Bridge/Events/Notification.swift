import JSON
import Model

/// A notification from the server to a host: its name, params and documentation in one place.
protocol Notification: Sendable {
  associatedtype Params: Record

  static var name: String { get }
  /// What happened, in one line.
  static var summary: String { get }
  /// Edge cases; empty if the summary says everything.
  static var details: String { get }
  static var example: Params { get }
  /// The SDK members that this notification stands for, as "Class member", or the name of an SDK notification.
  static var sdkMembers: [String] { get }
}

extension Notification {
  static var details: String { "" }
  static var sdkMembers: [String] { [] }
}

/// A notification that is stored with a number, so that it can be read later.
protocol Event: Notification where Params == EventParams<Body> {
  associatedtype Body: Record
}

extension API {
  /// All events, in the order of the document.
  static let events: [any Event.Type] = [
    EnrollmentRequestWithStatus.self, PolicyRequestWithStatus.self, UnenrollRequestWithStatus.self,
    PolicyDidChange.self, WipeDidComplete.self, AppConfigDidChange.self, DataProtectionDidChange.self,
    RestartRequired.self, DidReportLaunch.self, UserStatusDidChange.self, AllowedAccountsDidChange.self,
    HasComplianceStatus.self,
  ]

  /// All notifications that the document lists under x-events.
  static let notifications: [any Notification.Type] =
    events + [EventsGap.self, LoggerLog.self, LogAriaEvent.self]
}
