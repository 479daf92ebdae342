import Glibc
import JSON
import TestSupport
import Testing

@testable import Bridge

@Suite(.timeLimit(.minutes(5)), .ownThreads) struct TelemetryTests {
  private static let name = "telemetryDelegate.logAriaEvent"

  /// The next one, without its envelope; no other notification may come first.
  private func next(_ host: EventHost) throws -> JSONValue {
    let push = try host.nextPush()
    #expect(push["type"] == .string(Self.name))
    return push["params"] ?? .null
  }

  private func script(_ server: TestHost) throws -> EventHost {
    let host = EventHost(server.bridge)
    _ = try host.call("events.subscribe", ["types": [.string(Self.name)]])
    return host
  }

  @Test("Telemetry of a launch is pushed after initialize has replied, and says how the app is managed")
  func launch() throws {
    let server = try TestHost.restarting()
    let first = EventHost(server.bridge)
    let reply = try first.call("initialize", ["events": [.string(Self.name)]])
    #expect(reply["launch"]?["verdict"] == "allow")
    #expect(
      try next(first) == [
        "accountId": .null, "name": "launch",
        "properties": [
          "environment": "production", "management": "none", "platform": "ios", "verdict": "allow",
        ],
        "privacyLevel": "requiredDiagnosticData",
        "privacyDataTypes": ["productAndServiceUsage", "softwareSetupAndInventory"], "priorityLevel": "normal",
        "dataRegion": "global", "tenantID": .null,
      ])
    try server.enroll()
    let names = try (0..<3).map { _ in try next(first)["name"] }
    #expect(names == ["enrollmentRequest", "policyChange", "appConfigChange"])
    _ = try EventHost(server.bridge).call("initialize")
    let second = try next(first)
    #expect(second["properties"]?["management"] == "mam")
    #expect(second["accountId"] != .null)
    #expect(second["tenantID"] != .null)
  }

  @Test("Telemetry of enrollments has their status, high priority for failures, and no user names")
  func enrollment() throws {
    let server = try TestHost()
    let host = try script(server)
    try server.enroll("dave@contoso.example")
    let failure = try next(host)
    #expect(failure["name"] == "enrollmentRequest")
    #expect(failure["priorityLevel"] == "high")
    #expect(failure["privacyLevel"] == "requiredServiceData")
    #expect(failure["properties"]?["status"] == "authRequired")
    #expect(failure["properties"]?["statusCode"] == "203")
    // It is not enrolled: this is one more attempt.
    _ = try server.call("tenant.checkIn")
    #expect(try next(host)["name"] == "enrollmentRequest")
    _ = try server.call("enrollmentManager.deRegisterAndUnenrollAccount", ["account": "dave@contoso.example"])
    let end = try next(host)
    #expect(end["name"] == "unenrollRequest")
    #expect(end["priorityLevel"] == "normal")
    #expect(![failure, end].contains { $0.jsonText.contains("dave") || $0.jsonText.contains("@") })
    #expect(failure["accountId"] == "c03e6eaa-b6ab-46d7-905b-73ec7ea1f755")
  }

  @Test("Telemetry reports a compliance remediation and a wipe")
  func actions() throws {
    let server = try TestHost.restarting()
    try server.enroll()
    let host = try script(server)
    let account: JSONValue = .string(TestHost.alice)
    _ = try server.call("pin.set", ["pin": "2580", "account": account])
    _ = try server.call("complianceManager.remediateCompliance", ["account": account, "silent": true])
    #expect(try next(host)["name"] == "policyRequest")
    let remediation = try next(host)
    #expect(remediation["name"] == "complianceRemediation")
    #expect(remediation["properties"]?["status"] == "compliant")
    #expect(remediation["privacyLevel"] == "optionalDiagnosticData")
    _ = try server.call(
      "enrollmentManager.deRegisterAndUnenrollAccount", ["account": account, "withWipe": true])
    #expect(try next(host)["name"] == "wipe")
  }

  @Test(
    "No telemetry is sent if a setting disables it", arguments: ["MAMTelemetryDisabled=true", "telemetryEnabled=false"])
  func disabled(_ flag: String) throws {
    let server = try TestHost(flags: [flag])
    let host = try script(server)
    try server.enroll("carol@contoso.example")
    _ = try server.call(
      "settings.set", ["values": ["MAMTelemetryDisabled": false, "telemetryEnabled": true]])
    _ = try server.call("tenant.checkIn")
    #expect(try next(host)["name"] == "enrollmentRequest")
    _ = try server.call("settings.set", ["values": ["telemetryEnabled": false]])
    _ = try server.call("tenant.checkIn")
    _ = try host.call("versionInfo.sdkVersion")
    #expect(host.arrivedPushes() == [])
  }

  @Test("With MAMTelemetryUsePPE, telemetry has the environment ppe")
  func environment() throws {
    let server = try TestHost(flags: ["MAMTelemetryUsePPE=true"])
    let host = try script(server)
    try server.enroll()
    #expect(try next(host)["properties"]?["environment"] == "ppe")
  }

  @Test("Telemetry is pushed only to subscribers, is not stored and has no number")
  func subscribed() throws {
    let server = try TestHost()
    let (host, deaf) = (try script(server), EventHost(server.bridge))
    _ = try deaf.call("initialize")
    #expect(try next(host)["name"] == "launch")
    for _ in 0..<2 { _ = try host.call("events.subscribe", ["types": [.string(Self.name)]]) }
    try server.enroll("carol@contoso.example")
    let told = try next(host)
    #expect(told["seq"] == nil)
    #expect(told["time"] == nil)
    #expect(try server.call("events.list")["events"]?.eventTypes == [EventTypes.enrollment])
    _ = try host.call("events.unsubscribe", ["types": [.string(Self.name)]])
    _ = try server.call("tenant.checkIn")
    for host in [host, deaf] {
      _ = try host.call("versionInfo.sdkVersion")
      #expect(host.arrivedPushes() == [])
    }
    #expect(try server.error("events.list", ["types": [.string(Self.name)]])["data"]?["path"] == "/types/0")
  }

  @Test("Telemetry opens no socket")
  func sockets() throws {
    let before = Self.socketCount
    let server = try TestHost()
    let host = EventHost(server.bridge)
    _ = try host.call("initialize", ["events": [.string(Self.name)]])
    try server.enroll()
    _ = try server.call("tenant.checkIn")
    for _ in 0..<3 { _ = try next(host) }
    #expect(Self.socketCount == before)
  }

  /// Of this process, in which no test of this target opens any.
  private static var socketCount: Int {
    (0..<1024 as Range<Int32>).count { number in
      var status = stat()
      return fstat(number, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }
  }
}
