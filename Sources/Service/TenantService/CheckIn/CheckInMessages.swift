import JSON
import Model
import SourceProtocol

/// The body of `POST /mam/v1/check-in`.
struct CheckInRequest: OpenRecord {
  enum Reason: String, MessageWord { case enroll, checkIn }

  var version: WireVersion
  var reason: Reason
  var registration: WireRegistration
  var account: WireAccount
  var app: WireApp
  var device: WireDevice
  var etag: WireLine?
  var applied: WireList<WireApplied, FewElements>
  var health: WireList<WireLine, FewElements>

  static let fields = Fields(
    Self.init, Field("version", \.version, "The version of these messages."),
    Field("reason", \.reason, "checkIn for an enrolled account."),
    Field("registration", \.registration, "Who asks."), Field("account", \.account, "The account of the user."),
    Field("app", \.app, "The app that applies the policies."), Field("device", \.device, "Where it runs."),
    Field("etag", \.etag, "What the last answer had; null for everything."),
    Field("applied", \.applied, "The policies in force."),
    Field("health", \.health, "What is wrong with the app, for the administrator."))
}

struct WireRegistration: OpenRecord {
  static let schemaName = "Registration"

  var id: WireIdentifier
  var secret: RegistrationSecret

  static let fields = Fields(
    Self.init,
    Field("id", \.id, "Made by the host before its first check-in, and again when an account enrolls again."),
    Field("secret", \.secret, "Made with the id. The service keeps only its hash."))
}

struct WireAccount: OpenRecord {
  static let schemaName = "Account"

  var accountId: WireIdentifier?
  var identity: WireLine?

  static let fields = Fields(
    Self.init, Field("accountId", \.accountId, "The object id; null until the service has said it."),
    Field("identity", \.identity, "The user principal name; it may change."))
}

struct WireApp: OpenRecord {
  static let schemaName = "App"

  var id: WireName
  var version: WireLine?
  var sdkVersion: WireLine?

  static let fields = Fields(
    Self.init, Field("id", \.id, "The bundle or package id."), Field("version", \.version, "The version of the app."),
    Field("sdkVersion", \.sdkVersion, "The version of the Intune App SDK that it was made for."))
}

struct WireDevice: OpenRecord {
  enum Platform: String, MessageWord {
    case ios, android, windows

    var platform: DevicePlatform {
      switch self {
      case .ios: .ios
      case .android: .android
      case .windows: .windows
      }
    }
  }

  static let schemaName = "Device"

  var tag: WireName?
  var name: WireLine?
  var platform: Platform
  var osVersion: WireLine?
  var manufacturer: WireLine?
  var model: WireLine?
  var jailbroken: Bool?
  var managementType: WireLine?

  static let fields = Fields(
    Self.init,
    Field("tag", \.tag, "Joins the apps of one device. The id of the registration if it is absent."),
    Field("name", \.name, "For the administrator."),
    Field("platform", \.platform, "The platform whose policies apply."),
    Field("osVersion", \.osVersion, "The version of the operating system."),
    Field("manufacturer", \.manufacturer, "Who made the device."), Field("model", \.model, "The model of the device."),
    Field("jailbroken", \.jailbroken, "Whether the device is rooted; absent for no."),
    Field(
      "managementType", \.managementType, "How the device is managed, for assignment filters; absent if not reported."))
}

struct WireApplied: OpenRecord {
  static let schemaName = "Applied"

  var id: WireName
  var version: WireLine?

  static let fields = Fields(
    Self.init, Field("id", \.id, "The id of a policy."), Field("version", \.version, "The version of the policy."))
}

/// The body of `POST /mam/v1/registrations/{id}/operations/{operation}`.
struct OperationReport: OpenRecord {
  enum Outcome: String, MessageWord { case done, failed }

  var outcome: Outcome
  var time: WireTime
  var reason: WireLine?

  static let fields = Fields(
    Self.init, Field("outcome", \.outcome, "After failed, the operation stays pending."),
    Field("time", \.time, "When, on the clock of the host."), Field("reason", \.reason, "Why it failed."))
}

/// The body of `POST /mam/v1/changes`.
struct ChangesRequest: OpenRecord {

  var registrations: WireList<PolledRegistration, PolledElements>
  var wait: WaitSeconds

  static let fields = Fields(
    Self.init, Field("registrations", \.registrations, "The registrations of the host."),
    Field("wait", \.wait, "How many seconds to wait for a change."))
}

struct WaitSeconds: FieldValue, Hashable {
  static let range: ClosedRange<Int64> = 0...25

  let seconds: Int64

  static func decode(_ node: JSONNode) throws(JSONDecodingError) -> WaitSeconds {
    let seconds = try Int64.decode(node)
    guard range.contains(seconds) else {
      throw JSONDecodingError(.invalid("must be from \(range.lowerBound) to \(range.upperBound)"))
    }
    return WaitSeconds(seconds: seconds)
  }

  func encode(to writer: inout JSONWriter) { writer.integer(seconds) }

  static func schema(in components: inout SchemaComponents) -> JSONValue {
    ["type": "integer", "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound)]
  }
}

struct PolledRegistration: OpenRecord {
  var id: WireIdentifier
  var secret: RegistrationSecret
  var revision: Revision?

  static let fields = Fields(
    Self.init, Field("id", \.id, "The id of the registration."),
    Field("secret", \.secret, "The secret of the registration."),
    Field("revision", \.revision, "The last that is known; null for a host that only asks about pending operations."))
}

/// A number that changes with all that a check-in delivers.
struct Revision: FieldValue, Hashable {
  private static let range: ClosedRange<Int64> = 0...(1 << 53)
  private static let countBits: Int64 = 20

  let number: Int64

  private init(number: Int64) { self.number = number }

  /// Of a version of the tenant, and a count of what else has changed for the registration. Both stay apart, so that a
  /// replica that serves an older version does not hide what has changed since.
  init(generation: Int64, count: Int64) {
    number = min(generation << Self.countBits | min(count, 1 << Self.countBits - 1), Self.range.upperBound)
  }

  static func decode(_ node: JSONNode) throws(JSONDecodingError) -> Revision {
    let number = try Int64.decode(node)
    guard range.contains(number) else { throw JSONDecodingError(.invalid("must be from 0 to 2^53")) }
    return Revision(number: number)
  }

  func encode(to writer: inout JSONWriter) { writer.integer(number) }

  static func schema(in components: inout SchemaComponents) -> JSONValue {
    ["type": "integer", "minimum": 0, "maximum": .integer(range.upperBound)]
  }
}

/// The answer to `POST /mam/v1/changes`.
struct ChangesAnswer: OpenRecord {
  var changed: [String]
  var revisions: [String: Int64]
  var gone: [String]
  var spread: Int64

  static let fields = Fields(
    Self.init, Field("changed", \.changed, "The ids of the registrations that should check in."),
    Field("revisions", \.revisions, "The revisions now, by id: what to send with the next request."),
    Field(
      "gone", \.gone,
      "The ids of registrations that the service does not know, or whose secret is another. Ask about the others again."
    ),
    Field("spread", \.spread, "Check in at a random time within so many seconds; 0 for at once."))
}
