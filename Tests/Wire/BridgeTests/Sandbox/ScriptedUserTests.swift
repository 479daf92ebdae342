import JSON
import TestSupport
import Testing

@Suite(.ownThreads) struct ScriptedUserTests {
  private static let alice: JSONValue = ["account": "alice@contoso.example"]

  @Test("sandbox.answer makes the scripted user set a PIN, enter it, mistype it or cancel")
  func pin() throws {
    let host = try sandboxHost()
    _ = try host.call("enrollmentManager.registerAndEnrollAccount", Self.alice)
    let show: JSONValue = ["account": "alice@contoso.example", "window": "main"]
    #expect(try host.error("policyManager.setUIPolicyIdentity", show)["code"] == 8001)
    _ = try host.call("sandbox.answer", ["pin": "482913", "signIn": true])
    #expect(try host.call("policyManager.setUIPolicyIdentity", show) == "success")
    _ = try host.call("debug.advanceClock", ["by": "P1D"])
    _ = try host.call("conditionalLaunch.didEnterBackground")
    _ = try host.call("sandbox.answer", ["pin": "111111"])
    let wrong = try host.reply("policyManager.setUIPolicyIdentity", show)
    #expect(wrong["error"]?["code"] == 8001, "\(wrong.jsonText)")
    _ = try host.call("sandbox.answer", ["pin": "482913"])
    #expect(try host.call("policyManager.setUIPolicyIdentity", show) == "success")
    _ = try host.call("debug.advanceClock", ["by": "P1D"])
    _ = try host.call("conditionalLaunch.didEnterBackground")
    _ = try host.call("sandbox.answer", ["canceled": true])
    #expect(try host.call("policyManager.setUIPolicyIdentity", show) == "canceled")
  }
}
