import JSON
import Support
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct ClockTests {
  @Test("debug.advanceClock runs 90 days of check-ins, and the next process continues from that time")
  func manual() throws {
    let program = Program()
    let alice: JSONValue = ["account": "alice@contoso.example"]
    let script = [
      request("enrollmentManager.registerAndEnrollAccount", alice), request("debug.advanceClock", ["by": "P90D"]),
      request("events.list", ["after": 0, "types": ["enrollmentDelegate.policyRequestWithStatus"], "limit": 1000]),
    ]
    let first = try program.serve(script.joined(separator: "\n") + "\n", options: ["--clock", "manual"])
    #expect(first.replies.map { $0["result"] != nil } == [true, true, true])
    #expect(first.replies.last?["result"]?["events"]?.arrayValue?.count == 1000)
    let time = try #require(first.replies[1]["result"]?["time"]?.stringValue.flatMap { Timestamp($0) })
    let next = try program.call("debug.advanceClock", "by=PT1S", options: ["--clock", "manual"])
    #expect(next.output == "{\"time\":\"\(time.advanced(by: 1000))\"}\n")
  }

  @Test("debug.advanceClock fails if the server uses the system clock")
  func system() throws {
    let outcome = try Program().call("debug.advanceClock", "by=PT1S")
    #expect(outcome.status == 1)
    #expect(outcome.error?["data"]?["name"] == "manualClockNeeded")
    #expect(outcome.error?["data"]?["hint"]?.stringValue?.contains("--clock manual") == true)
  }

  @Test("versionInfo.sdkVersion creates no files in the state folder")
  func nothingOpened() throws {
    let program = Program()
    let outcome = try program.serve(request("versionInfo.sdkVersion") + "\n")
    #expect(outcome.replies.first?["result"] == "21.7.1")
    #expect(filesOf(folder: program.state).isEmpty)
  }

  @Test("--clock manual=TIME starts at that time, and exits with 78 if the state has seen a later time")
  func start() throws {
    let program = Program()
    let enroll = request("enrollmentManager.registerAndEnrollAccount", ["account": "alice@contoso.example"])
    let at = { (time: String) in ["--clock", "manual=\(time)"] }
    let first = try program.serve(enroll + "\n", options: at("2031-05-06T07:08:09Z"))
    #expect(first.replies.first?["result"]?["statusCode"] == 100)
    let early = try program.call("device.get", options: at("2031-05-06T07:08:08Z"))
    #expect(early.status == 78)
    for time in ["2031-05-06T07:08:08.000Z", "2031-05-06T07:08:09.000Z"] { #expect(early.errors.contains(time)) }
    let later = try program.call("debug.advanceClock", "by=PT1S", options: at("2032-01-01T00:00:00Z"))
    #expect(later.output == "{\"time\":\"2032-01-01T00:00:01.000Z\"}\n")
  }

  @Test(
    "--clock rejects an unknown clock or an invalid time with exit code 64",
    arguments: ["manual=", "manual=today", "manual=1960-01-01T00:00:00Z", "Manual"])
  func invalid(_ clock: String) throws {
    #expect(try Program().call("device.get", options: ["--clock", clock]).status == 64)
  }
}
