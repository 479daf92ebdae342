import JSON
import Model
import TestSupport
import Testing

@testable import Bridge
@testable import MAM

@Suite(.ownThreads) struct SandboxFaultTests {
  private static let alice: JSONValue = ["account": "alice@contoso.example"]

  private static func enrolledHost() throws -> TestHost {
    let host = try sandboxHost()
    _ = try host.call("enrollmentManager.registerAndEnrollAccount", alice)
    return host
  }

  private static func checkIn(_ host: TestHost) throws -> JSONValue? {
    try host.call("tenant.checkIn").arrayValue?.first
  }

  private static func faultsTold(_ host: TestHost) throws -> [String] {
    let entries = try host.call("sandbox.story")["entries"]?.arrayValue ?? []
    return entries.filter { $0["kind"] == "fault" }.compactMap { $0["text"]?.stringValue }
  }

  @Test(
    "A check-in hit by a sandbox fault has its status and keeps the policy, and the next one succeeds",
    arguments: [
      (["at": "source", "kind": "unreachable"], 212, "Connection refused"),
      (["at": "source", "kind": "slow"], 216, "within 25 seconds"),
      (["at": "source", "kind": "slow", "delay": "PT25S"], 216, "within 25 seconds"),
      (["at": "source", "kind": "slow", "delay": "PT24S"], 101, nil),
      (["at": "source", "kind": "tooManyRequests"], 212, "status 429"),
      (["at": "source", "kind": "serviceUnavailable"], 212, "status 503"),
      (["at": "source", "kind": "cut"], 212, "in the middle of an answer"),
      (["at": "source", "kind": "malformed"], 206, "is not JSON"),
      (["at": "source", "kind": "otherUser"], 206, "another object id"),
      (["at": "token", "kind": "needed"], 203, "needs a token"),
      (["at": "token", "kind": "expired"], 203, "it has expired"),
      (["at": "token", "kind": "refused"], 203, "refused the token"),
    ] as [(JSONObject, Int64, String?)])
  func statuses(_ fault: JSONObject, _ status: Int64, _ text: String?) throws {
    let host = try Self.enrolledHost()
    var once = fault
    once["times"] = 1
    _ = try host.call("sandbox.fault", .object(once))
    let hit = try Self.checkIn(host)
    #expect(hit?["statusCode"]?.integerValue == status, "\(hit?.jsonText ?? "")")
    #expect(text.map { hit?["errorString"]?.stringValue?.contains($0) == true } ?? true, "\(hit?.jsonText ?? "")")
    #expect(try host.call("policy.isPINRequired", Self.alice) == true)
    #expect(try Self.checkIn(host)?["statusCode"] == 101)
    #expect(try Self.faultsTold(host).count == 1)
  }

  @Test("An account cannot enroll while a sandbox fault makes the source fail, and can afterwards")
  func enrollment() throws {
    let host = try sandboxHost()
    _ = try host.call("sandbox.fault", ["at": "source", "kind": "serviceUnavailable"])
    let failed = try host.call("enrollmentManager.registerAndEnrollAccount", Self.alice)
    #expect(failed["statusCode"] == 205)
    #expect(failed["didSucceed"] == false)
    _ = try host.call("sandbox.clearFaults")
    #expect(try Self.checkIn(host)?["statusCode"] == 100)
  }

  @Test("A sandbox fault ends after the given number of hits, or by clearFaults, restore or reset")
  func lengths() throws {
    let host = try Self.enrolledHost()
    _ = try host.call("sandbox.save", ["name": "well"])
    for end in ["sandbox.clearFaults", "sandbox.restore", "sandbox.reset"] {
      _ = try host.call("sandbox.fault", ["at": "source", "kind": "cut"])
      for _ in 0..<3 { #expect(try Self.checkIn(host)?["statusCode"] == 212) }
      _ = try host.call(end, end == "sandbox.restore" ? ["name": "well"] : nil)
      _ = try host.call("enrollmentManager.registerAndEnrollAccount", Self.alice)
      #expect([100, 101].contains(try Self.checkIn(host)?["statusCode"]?.integerValue))
    }
    let before = try Self.faultsTold(host).count
    _ = try host.call("sandbox.fault", ["at": "source", "kind": "malformed", "times": 2])
    _ = try host.call("sandbox.fault", ["at": "token", "kind": "refused", "times": 1])
    #expect(try (0..<4).map { _ in try Self.checkIn(host)?["statusCode"]?.integerValue } == [206, 206, 203, 101])
    #expect(
      try Self.faultsTold(host).dropFirst(before) == [
        "the planted fault malformed of the source hits an answer, 1 more to come",
        "the planted fault malformed of the source hits an answer, for the last time",
        "the planted fault refused of the token hits an answer, for the last time",
      ])
  }

  @Test("After the fault tooManyRequests, the next check-in is due when the fault's delay has passed")
  func retryAfter() throws {
    let host = try Self.enrolledHost()
    _ = try host.call("sandbox.fault", ["at": "source", "kind": "tooManyRequests", "times": 1, "delay": "P2D"])
    _ = try Self.checkIn(host)
    let status = try host.call("tenant.status")["accounts"]?.arrayValue?.first
    #expect(status?["nextCheckInAt"] == .string(TestHost.start.advanced(by: 2 * 86_400_000).description))
    _ = try host.call("debug.advanceClock", ["by": "P3D"])
    let after = try host.call("tenant.status")["accounts"]?.arrayValue?.first
    #expect(after?["lastStatus"]?["statusCode"] == 101, "\(after?.jsonText ?? "")")
  }

  @Test("A sandbox fault hits only the given number of check-ins, and the next check-in can wipe")
  func once() throws {
    let host = try Self.enrolledHost()
    _ = try host.call("sandbox.fault", ["at": "source", "kind": "serviceUnavailable", "times": 2])
    _ = try host.call("debug.advanceClock", ["by": "P91D"])
    #expect(try Self.faultsTold(host).count == 2)
    let status = try host.call("tenant.status")["accounts"]?.arrayValue?.first
    #expect(status?["lastStatus"]?["statusCode"] == 101, "\(status?["lastStatus"]?.jsonText ?? "")")
    _ = try host.call("sandbox.wipe", ["account": "alice@contoso.example"])
    _ = try host.call("sandbox.fault", ["at": "source", "kind": "cut", "times": 1])
    _ = try host.call("debug.advanceClock", ["by": "P2D"])
    #expect(try host.call("enrollmentManager.enrolledAccounts") == [])
  }

  @Test("An account whose source is unreachable for 91 days is blocked as without a network")
  func offline() throws {
    let host = try Self.enrolledHost()
    _ = try host.call("sandbox.fault", ["at": "source", "kind": "unreachable"])
    _ = try host.call("debug.advanceClock", ["by": "P91D"])
    _ = try host.call("conditionalLaunch.evaluate")
    let found = try host.call(
      "sandbox.expect", ["outcome": "blocked", "setting": "periodOfflineBeforeWipeIsEnforced"])
    #expect(found["isMet"] == true, "\(found.jsonText)")
  }

  @Test("If sandbox.fault makes the source need a token, a check-in asks the host for one and uses it")
  func token() throws {
    let server = try Self.enrolledHost()
    let host = EventHost(server.bridge)
    _ = try host.call("initialize", ["delegates": [.string(GetAccessToken.name)]])
    _ = try server.call("sandbox.fault", ["at": "token", "kind": "needed"])
    for (answer, status) in [
      (["accessToken": "hunter2", "identity": "alice@contoso.example"], 101),
      (["error": "the user is away"], 203),
    ] as [(JSONObject, Int64)] {
      let id = host.send("tenant.checkIn")
      host.answer(try host.nextQuestion(), ["result": .object(answer)])
      let reply = try host.reply(to: id)
      #expect(reply["result"]?.arrayValue?.first?["statusCode"]?.integerValue == status, "\(reply.jsonText)")
    }
  }

  @Test("While a fault makes the source unreachable, tenant.status lists accounts but no users")
  func status() throws {
    let host = try Self.enrolledHost()
    _ = try host.call("sandbox.fault", ["at": "source", "kind": "unreachable"])
    let status = try host.call("tenant.status")
    #expect(status["users"] == [])
    #expect(status["accounts"]?.arrayValue?.first?["isEnrolled"] == true)
    _ = try host.call("sandbox.clearFaults")
    #expect(try host.call("tenant.status")["users"]?.arrayValue?.count == 4)
  }

  @Test("A clock that jumps by 100 days blocks the launch but wipes nothing, and time goes on from there")
  func jump() throws {
    let host = try Self.enrolledHost()
    _ = try host.call("sandbox.fault", ["at": "source", "kind": "unreachable"])
    _ = try host.call("sandbox.fault", ["at": "clock", "kind": "jump", "delay": "P100D"])
    let log = try host.call("diagnosticsLog.query", ["level": "warning"]).jsonText
    #expect(log.contains("jumped forward by 100 days"))
    let now = TestHost.start.advanced(by: 100 * 86_400_000)
    #expect(try host.call("debug.advanceClock", ["by": "PT0S"])["time"] == .string(now.description))
    let launch = try host.call("conditionalLaunch.evaluate")
    #expect(launch["verdict"] == "block")
    #expect(try host.call("enrollmentManager.enrolledAccounts").arrayValue?.count == 1)
    _ = try host.call("debug.advanceClock", ["by": "P1D"])
    #expect(
      try host.call("debug.advanceClock", ["by": "PT0S"])["time"] == .string(now.advanced(by: 86_400_000).description))
  }

  @Test(
    "sandbox.fault refuses parameters that do not fit, names their path, and plants no fault",
    arguments: [
      (["at": "token", "kind": "slow"], "/kind", "With at token, use one of: needed, expired, refused"),
      (["at": "source", "kind": "jump"], "/kind", "unreachable, slow"),
      (["at": "clock", "kind": "refused"], "/kind", "With at clock, use one of: jump"),
      (["at": "source", "kind": "cut", "delay": "PT1S"], "/delay", "Leave it out"),
      (["at": "clock", "kind": "jump"], "/delay", "Say how far"),
      (["at": "clock", "kind": "jump", "delay": "PT4M59S"], "/delay", "Say how far"),
      (["at": "clock", "kind": "jump", "delay": "P1D", "times": 1], "/times", "Leave it out"),
      (["at": "source", "kind": "cut", "times": 0], "/times", nil),
      (["at": "source", "kind": "slo"], "/kind", nil),
    ] as [(JSONValue, String, String?)])
  func refusals(_ params: JSONValue, _ path: String, _ hint: String?) throws {
    let host = try Self.enrolledHost()
    let error = try host.error("sandbox.fault", params)
    #expect(error["code"] == -32602, "\(error.jsonText)")
    #expect(error["data"]?["path"] == .string(path), "\(error.jsonText)")
    #expect(hint.map { error["data"]?["hint"]?.stringValue?.contains($0) == true } ?? true, "\(error.jsonText)")
    #expect(try Self.checkIn(host)?["statusCode"] == 101)
    #expect(try host.call("debug.advanceClock", ["by": "PT0S"])["time"] == .string(TestHost.start.description))
  }
}
