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

/// The params of an event, in one object: the number and time that every event has, the members of this event, and the
/// cause.
struct EventParams<Body: Record>: Record {
  var stamp: EventStamp
  var body: Body
  var cause: RequestCause?

  static var fields: Fields<Self> {
    Fields(
      Self.init(stamp:body:cause:), Field(group: \.stamp, EventStamp.fields), Field(group: \.body, Body.fields),
      Field(
        "cause", \.cause, "The request that caused the event; null if none did, or if it was answered from memory."))
  }
}

extension EventParams {
  /// An event for the document.
  init(_ stamp: EventStamp, _ body: Body) { self.init(stamp: stamp, body: body, cause: RequestCause.example) }
}

/// The number and time of an event.
struct EventStamp: Record {
  var seq: Int64
  var time: Timestamp
  static let fields = Fields(
    Self.init, Field("seq", \.seq, "The number of the event. Numbers start at 1 and rise by one."),
    Field("time", \.time, "When the event happened."))
}

/// Makes the text of an event's params without parsing the part that the store holds.
enum EventText {
  static func params(_ event: StoredEvent) -> [UInt8] {
    params(EventStamp(seq: event.seq, time: event.time), body: event.body, cause: event.cause)
  }

  /// `body` is the text of a JSON object without spaces around it.
  static func params(_ stamp: EventStamp, body: String, cause: RequestCause?) -> [UInt8] {
    var bytes = Array(stamp.jsonText.utf8.dropLast())
    let members = body.utf8.dropFirst().dropLast()
    if !members.isEmpty { bytes.append(UInt8(ascii: ",")) }
    bytes.append(contentsOf: members)
    bytes.append(contentsOf: ",\"cause\":\(cause.map(\.jsonText) ?? "null")}".utf8)
    return bytes
  }
}

extension EventStamp {
  static let example = EventStamp(seq: 7, time: Timestamp(milliseconds: 1_770_000_000_000))
}

extension RequestCause {
  static let example = RequestCause(method: RegisterAndEnrollAccount.name, id: 12)
}
