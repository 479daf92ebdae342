import JSON
import MAM
import Model
import Support

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
    PolicyDidChange.self, ManagementRemoved.self, WipeDidComplete.self, AppConfigDidChange.self,
    DataProtectionDidChange.self,
    RestartRequired.self, DidReportLaunch.self, UserStatusDidChange.self, AllowedAccountsDidChange.self,
    MDMEnrolledAccountDidChange.self, HasComplianceStatus.self, SDKDidTakeOverUI.self, SDKDidReleaseUI.self,
    StrictModeViolation.self,
  ]

  /// All notifications that the document lists under x-events.
  static let notifications: [any Notification.Type] =
    events + [EventsGap.self, LoggerLog.self, LogAriaEvent.self]
}

/// The params of an event, in one object: the number, time and cause that every event has, and the members of this event.
struct EventParams<Body: Record>: Record {
  var stamp: EventStamp
  var body: Body

  init(_ stamp: EventStamp, _ body: Body) {
    self.stamp = stamp
    self.body = body
  }

  static var fields: Fields<Self> {
    Fields(Self.init, Field(group: \.stamp, EventStamp.fields), Field(group: \.body, Body.fields))
  }
}

/// The number, time and cause of an event.
struct EventStamp: Record {
  var seq: Int64
  var time: Timestamp
  var cause: RequestCause?
  static let fields = Fields(
    Self.init, Field("seq", \.seq, "The number of the event. Numbers start at 1 and rise by one."),
    Field("time", \.time, "When the event happened."),
    Field(
      "cause", \.cause, "The request that caused the event; null if none did, or if it was answered from memory."))
}

extension EventStamp {
  init(_ event: StoredEvent) {
    self.init(seq: event.seq, time: event.time, cause: event.cause)
  }
}

/// Makes the text of an event's params without parsing the part that the store holds.
enum EventText {
  /// `body` is the text of a JSON object without spaces around it.
  static func params(_ stamp: EventStamp, body: String) -> [UInt8] {
    var bytes = Array(stamp.jsonText.utf8.dropLast())
    let members = body.utf8.dropFirst()
    if members.count > 1 { bytes.append(UInt8(ascii: ",")) }
    bytes.append(contentsOf: members)
    return bytes
  }
}

extension EventStamp {
  static let example = EventStamp(seq: 7, time: Timestamp(milliseconds: 1_770_000_000_000), cause: .example)
}

extension RequestCause {
  static let example = RequestCause(method: RegisterAndEnrollAccount.name, id: 12)
}
