import JSON
import Support
import TestSupport
import Testing

@Suite struct LifeTests {
  private func account(_ host: TestHost) throws -> JSONValue {
    try #require(try host.call("tenant.status")["accounts"]?.arrayValue?.first)
  }

  private func statuses(_ host: TestHost, after: JSONValue) throws -> [JSONValue] {
    let types: JSONValue = .array([EventTypes.enrollment, EventTypes.checkIn].map(JSONValue.string))
    let list = try host.call("events.list", ["after": after, "types": types, "limit": 1000])
    return list["events"]?.arrayValue?.compactMap { $0["params"]?["statusCode"] } ?? []
  }

  @Test("As the manual clock advances, an account recovers from an outage and checks in for 90 days")
  func ninetyDays() throws {
    let host = try TestHost()
    _ = try host.call("device.set", ["networkAvailable": false])
    #expect(try host.enroll() == 205)
    #expect(try account(host)["life"] == "offline")
    _ = try host.call("debug.advanceClock", ["by": "PT3M"])
    #expect(try statuses(host, after: 0) == [205, 205, 205])
    _ = try host.call("device.set", ["networkAvailable": true])
    #expect(try account(host)["life"] == "enrolled")
    let time = try host.call("debug.advanceClock", ["by": "P90D"])["time"]
    #expect(time == .string(TestHost.start.advanced(by: 3 * 60_000 + 90 * 86_400_000).description))
    #expect(try account(host)["checkedInAt"] == time)
    let newest = try host.call("events.list", ["after": 0, "limit": 1])["next"]
    #expect(newest != .null)
  }

  @Test("debug.advanceClock fails with the system clock, and for a step that is too long or no duration")
  func refused() throws {
    let error = try TestHost(configure: { $0.clock = SystemClock() }).error("debug.advanceClock", ["by": "PT1M"])
    #expect(error["code"] == 9001)
    #expect(error["data"]?["hint"]?.stringValue?.contains("--clock manual") == true)
    let texts: [JSONValue] = ["P367D", "tomorrow", "P1M", "-PT1M", 5]
    for text in texts {
      #expect(try TestHost().error("debug.advanceClock", ["by": text])["data"]?["path"] == "/by")
    }
  }

  @Test("tenant.status explains why a user has no policy: the status, its cause and the next check-in")
  func explanation() throws {
    let host = try TestHost()
    try host.enroll("bob@contoso.example")
    let bob = try account(host)
    let due = TestHost.start.advanced(by: 12 * 3_600_000).description
    #expect(bob["life"] == "registered")
    #expect(bob["nextCheckInAt"] == .string(due))
    let text = try #require(bob["explanation"]?.stringValue)
    let parts = ["225 (licensedNotTargeted)", "groups", "tenant.status", due, "in 12 hours"]
    for part in parts { #expect(text.contains(part)) }
    let reasons = bob["policies"]?.arrayValue?.compactMap { $0["reason"]?.stringValue } ?? []
    #expect(Set(reasons) == ["noGroup", "otherPlatform"])
  }

  @Test("Unenrolling an account that is not registered fails with a text that names registerAndEnrollAccount")
  func notRegistered() throws {
    let host = try TestHost()
    try host.enroll()
    let status = try host.call("enrollmentManager.deRegisterAndUnenrollAccount", ["account": "bob@contoso.example"])
    #expect(status["statusCode"] == 214)
    #expect(status["errorString"]?.stringValue?.contains("registerAndEnrollAccount") == true)
  }

  @Test("The sample tenant allows every account and sets up no managed device and no working time")
  func sample() throws {
    let host = try TestHost()
    try host.enroll()
    #expect(try host.call("enrollmentManager.allowedAccounts") == .null)
    #expect(try host.call("enrollmentManager.mdmEnrolledAccount") == .null)
    let status = try host.call("userStatusManager.userStatus", ["account": .string(TestHost.alice)])
    #expect(status["clockStatus"] == "notConfigured")
    #expect(try host.call("userStatusManager.userStatus") == .null)
  }
}
