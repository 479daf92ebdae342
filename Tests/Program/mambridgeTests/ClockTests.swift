import JSON
import Support
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct ClockTests {
  @Test("a script on the manual clock lives 90 days before its next request, and the next script goes on from there")
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

  @Test("the system's clock cannot be advanced")
  func system() throws {
    let outcome = try Program().call("debug.advanceClock", "by=PT1S")
    #expect(outcome.status == 1)
    #expect(outcome.error?["data"]?["name"] == "manualClockNeeded")
    #expect(outcome.error?["data"]?["hint"]?.stringValue?.contains("--clock manual") == true)
  }

  @Test("asking for the version opens no state")
  func nothingOpened() throws {
    let program = Program()
    let outcome = try program.serve(request("versionInfo.sdkVersion") + "\n")
    #expect(outcome.replies.first?["result"] == "21.7.1")
    #expect(filesOf(folder: program.state).isEmpty)
  }

  @Test("a manual clock starts at a time, but not before one that the state has seen")
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
    "a time that is none is refused",
    arguments: ["manual=", "manual=today", "manual=1960-01-01T00:00:00Z", "Manual"])
  func invalid(_ clock: String) throws {
    #expect(try Program().call("device.get", options: ["--clock", clock]).status == 64)
  }
}
