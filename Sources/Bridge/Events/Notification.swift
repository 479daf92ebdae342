import JSON
import Model

/// What the server tells a host without being asked: name, params and documentation in one place.
protocol Notification: Sendable {
  associatedtype Params: Record

  static var name: String { get }
  /// One line.
  static var summary: String { get }
  /// Edges; empty where the summary says all.
  static var details: String { get }
  static var example: Params { get }
  /// The members of the SDK this stands for, as "Class member", or "Class" for a notification of its own.
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
  /// The one list of events, in the order of the document.
  static let events: [any Event.Type] = [
    EnrollmentRequestWithStatus.self, PolicyRequestWithStatus.self, UnenrollRequestWithStatus.self,
    PolicyDidChange.self, WipeDidComplete.self, AppConfigDidChange.self, DataProtectionDidChange.self,
    RestartRequired.self, DidReportLaunch.self, UserStatusDidChange.self, AllowedAccountsDidChange.self,
    HasComplianceStatus.self,
  ]

  /// All that the document lists under x-events.
  static let notifications: [any Notification.Type] =
    events + [EventsGap.self, LoggerLog.self, LogAriaEvent.self]
}
