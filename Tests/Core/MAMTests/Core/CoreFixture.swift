import JSON
import SQLite
import Support
import TestSupport
import Testing

@testable import MAM
@testable import Model
@testable import Tenancy

/// A state folder, a tenant folder and a clock that stands still; any number of cores over them.
struct CoreFixture {
  let folder = TemporaryFolder()
  let tenant = TenantFolder()
  let clock = ManualClock(startingAt: start)
  static let start = Timestamp(milliseconds: 1_769_851_800_000)

  var state: StateFolder { StateFolder(root: folder.file("state"), appId: "com.example.host") }

  /// `flags` are settings, such as `MultiIdentity=true`.
  func core(_ flags: String..., tenant: TenantLocation? = nil) throws -> Core {
    var settings = Settings()
    for flag in flags { try settings.set(flag: flag) }
    return Core(
      CoreConfiguration(
        stateFolder: state, tenant: tenant ?? .folder(self.tenant.path), settings: settings, clock: clock))
  }

  /// All events that are stored.
  func events() throws -> [RecordedEvent] { try RecordedEvent.all(in: state) }

  /// Warnings in the log that contain a text.
  func warnings(_ text: String, in core: Core) throws -> [String] {
    let query = LogQuery(level: .warning, text: text, limit: 10_000, order: .oldest)
    return try core.refresh().log.query(query).map(\.message)
  }
}

/// An event as the store holds it.
struct RecordedEvent: Equatable {
  let seq: Int
  let time: Timestamp
  /// Without its namespace.
  let type: String
  let body: JSONValue

  static func all(in state: StateFolder) throws -> [RecordedEvent] {
    let connection = try Connection(path: state.database)
    return try connection.query("SELECT seq, time, type, body FROM events ORDER BY seq") { row in
      let type: String = try row.value(2)
      let body = try #require(try? JSONValue(parsing: try row.value(3, as: String.self)))
      return RecordedEvent(
        seq: try row.value(0), time: Timestamp(milliseconds: try row.value(1)),
        type: type.split(separator: ".").last.map(String.init) ?? type, body: body)
    }
  }

  var status: Int? { body["statusCode"]?.intValue }
  /// Such as `policyRequestWithStatus 101`.
  var summary: String { status.map { "\(type) \($0)" } ?? type }
}

extension Core {
  func enroll(_ name: String) throws -> Int {
    try checkIns.registerAndEnroll(.user(name)).statusCode.sdkValue
  }

  func unenroll(_ name: String) throws -> Int {
    try checkIns.unenroll(.user(name)).statusCode.sdkValue
  }

  /// With a wipe, without a host.
  func wipe(_ name: String) async throws -> Int {
    try await enrollment.deRegisterAndUnenroll(.user(name), withWipe: true).statusCode.sdkValue
  }

  func checkIn(_ name: String? = nil) throws -> [Int] {
    try checkIns.checkIn(name.map { .user($0) }).map(\.statusCode.sdkValue)
  }

  /// After a refresh.
  func account(_ name: String) throws -> AccountState? {
    try refresh()
    return state.account(.user(name))
  }

  /// Whether a policy holds for the account, and it requires a PIN.
  func requiresPIN(_ name: String) throws -> Bool { try account(name)?.policy?.isPINRequired ?? false }
}

extension AccountReference {
  /// Of the tenant's domain.
  static func user(_ name: String) -> AccountReference { AccountReference(TenantFolder.upn(name)) }
}
