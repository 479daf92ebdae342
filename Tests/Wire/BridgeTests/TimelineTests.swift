import JSON
import Support
import TestSupport
import Testing

@testable import Bridge

@Suite(.timeLimit(.minutes(5)), .ownThreads) struct TimelineTests {
  private func kinds(_ timeline: JSONValue) -> [String] {
    (timeline["entries"]?.arrayValue ?? []).compactMap { $0["kind"]?.stringValue }
  }

  @Test("What falls due comes by time, and the clock stays where it is")
  func entries() throws {
    let host = try TestHost()
    try host.enroll()
    let timeline = try host.call("tenant.timeline")
    #expect(kinds(timeline) == ["checkIn", "offlineBlock", "offlineWipe"])
    let times = (timeline["entries"]?.arrayValue ?? []).compactMap { $0["time"]?.stringValue }
    #expect(times == times.sorted())
    #expect(timeline["now"] == .string(TestHost.start.description))
    #expect(try host.call("tenant.timeline") == timeline)
  }

  @Test("Only what falls due until the time is listed, and only for the account")
  func limits() throws {
    let host = try TestHost()
    try host.enroll()
    let soon = TestHost.start.advanced(by: 3_600_000)
    #expect(kinds(try host.call("tenant.timeline", ["until": .string(soon.description)])) == ["checkIn"])
    #expect(kinds(try host.call("tenant.timeline", ["account": "bob@contoso.example"])) == [])
  }

  @Test("Each limit is met at its time: blocked, then asked to sign in")
  func met() throws {
    let host = try TestHost()
    try host.enroll()
    _ = try host.call("device.set", ["networkAvailable": false])
    let entries = try #require(try host.call("tenant.timeline")["entries"]?.arrayValue)
    let block = try #require(entries.first { $0["kind"] == "offlineBlock" }?["time"]?.stringValue)
    let due = try #require(Timestamp(block))
    let wait = (due.milliseconds - TestHost.start.milliseconds) / 1000
    let blocked = {
      let rules = try host.call("conditionalLaunch.evaluate")["rules"]?.arrayValue
      return rules?.first { $0["setting"] == "periodOfflineBeforeAccessCheck" }?["outcome"]
    }
    _ = try host.call("debug.advanceClock", ["by": .string("PT\(wait - 1)S")])
    #expect(try blocked() == "passed")
    _ = try host.call("debug.advanceClock", ["by": "PT1S"])
    #expect(try blocked() == "block")
  }
}
