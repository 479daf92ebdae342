import JSON
import TestSupport
import Testing

@testable import Bridge

@Suite(.timeLimit(.minutes(1)), .ownThreads) struct UIHelperTests {
  private static let show = "uiHelper.showSharingBlockedMessage"

  @Test("a host shows that sharing is blocked, in the window that was named; the call does not wait for the user")
  func sharing() throws {
    let host = EventHost(try TestHost().bridge)
    _ = try host.call("initialize", ["delegates": [.string(ShowAlert.name)]])
    #expect(try host.call(Self.show, ["window": "reader"]) == .null)
    let question = try host.nextQuestion()
    #expect(question["method"] == .string(ShowAlert.name) && question["params"]?["window"] == "reader")
    for text in ["title", "message"] { #expect(question["params"]?[text]?.stringValue?.isEmpty == false) }
    #expect(question["params"]?["actions"] == ["OK"])
  }

  @Test("without a host that shows alerts nothing is shown")
  func nobody() throws {
    #expect(try TestHost().call(Self.show) == .null)
  }

  @Test("the restart message is the one that the alert for a first policy has")
  func restart() throws {
    let host = EventHost(try TestHost().bridge)
    _ = try host.call("initialize", ["delegates": [.string(ShowAlert.name)]])
    host.send("enrollmentManager.registerAndEnrollAccount", ["account": .string(TestHost.alice)])
    let alert = try host.nextQuestion()
    #expect(try host.call("uiHelper.getRestartApplicationMessage") == alert["params"]?["message"])
  }
}
