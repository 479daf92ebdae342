import JSON
import Support
import TestSupport
import Testing

@testable import Bridge

@Suite(.timeLimit(.minutes(5)), .ownThreads) struct TimelineTests {
  private func kinds(_ timeline: JSONValue) -> [String] {
    (timeline["entries"]?.arrayValue ?? []).compactMap { $0["kind"]?.stringValue }
  }

  @Test("tenant.timeline lists due check-ins and offline limits by time, without moving the clock")
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

  @Test("tenant.timeline lists only entries before the given time, and only those of the given account")
  func limits() throws {
    let host = try TestHost()
    try host.enroll()
    let soon = TestHost.start.advanced(by: 3_600_000)
    #expect(kinds(try host.call("tenant.timeline", ["until": .string(soon.description)])) == ["checkIn"])
    #expect(kinds(try host.call("tenant.timeline", ["account": "bob@contoso.example"])) == [])
  }

  @Test("periodOfflineBeforeAccessCheck blocks exactly at the time that tenant.timeline gives")
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
