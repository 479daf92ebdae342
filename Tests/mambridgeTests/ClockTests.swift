import JSON
import Support
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct ClockTests {
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

  @Test("on the system's clock nobody moves time")
  func system() throws {
    let outcome = try Program().call("debug.advanceClock", "by=PT1S")
    #expect(outcome.status == 1 && outcome.error?["data"]?["name"] == "manualClockNeeded")
    #expect(outcome.error?["data"]?["hint"]?.stringValue?.contains("--clock manual") == true)
  }

  @Test("asking for the version opens no state")
  func nothingOpened() throws {
    let program = Program()
    let outcome = try program.serve(request("versionInfo.sdkVersion") + "\n")
    #expect(outcome.replies.first?["result"] == "21.7.1")
    #expect(filesOf(folder: program.state).isEmpty)
  }
}
