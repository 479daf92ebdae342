import JSON
import TestSupport
import Testing

@testable import Bridge

@Suite(.timeLimit(.minutes(5)), .ownThreads) struct UIHelperTests {
  private static let show = "uiHelper.showSharingBlockedMessage"

  @Test("showSharingBlockedMessage shows an alert in the given window and does not wait for the user")
  func sharing() throws {
    let host = EventHost(try TestHost().bridge)
    _ = try host.call("initialize", ["delegates": [.string(ShowAlert.name)]])
    #expect(try host.call(Self.show, ["window": "reader"]) == .null)
    let question = try host.nextQuestion()
    #expect(question["method"] == .string(ShowAlert.name))
    #expect(question["params"]?["window"] == "reader")
    for text in ["title", "message"] { #expect(question["params"]?[text]?.stringValue?.isEmpty == false) }
    #expect(question["params"]?["actions"] == ["OK"])
  }

  @Test("showSharingBlockedMessage returns null if no host shows alerts")
  func nobody() throws {
    #expect(try TestHost().call(Self.show) == .null)
  }

  private static let capture = "uiHelper.captureImageOfWindow"

  @Test("captureImageOfWindow returns the host's image even if screen capture is blocked, and logs it")
  func image() throws {
    let server = try TestHost()
    try server.enroll()
    let host = EventHost(server.bridge)
    _ = try host.call("initialize", ["delegates": [.string(CaptureWindow.name)]])
    let call = host.send(Self.capture, ["window": "inbox"])
    let question = try host.nextQuestion()
    #expect(question["method"] == .string(CaptureWindow.name))
    #expect(question["params"]?["window"] == "inbox")
    host.answer(question, ["result": "iVBORw0KGgo="])
    #expect(try host.reply(to: call)["result"] == "iVBORw0KGgo=")
    let lines = try server.call("diagnosticsLog.query", ["text": "made an image"]).arrayValue
    #expect(lines?.count == 1)
    #expect(try server.call("policy.isScreenCaptureAllowed") == false)
  }

  @Test(
    "captureImageOfWindow returns null if the host has no image or cannot be asked",
    arguments: [["result": .null], ["error": ["code": 7002, "message": "no"]]] as [JSONObject])
  func noImage(_ answer: JSONObject) throws {
    let host = EventHost(try TestHost().bridge)
    _ = try host.call("initialize", ["delegates": [.string(CaptureWindow.name)]])
    let call = host.send(Self.capture)
    let question = try host.nextQuestion()
    #expect(question["params"]?["window"] == "main")
    host.answer(question, answer)
    #expect(try host.reply(to: call)["result"] == .null)
    #expect(try TestHost().call(Self.capture, ["window": "inbox"]) == .null)
  }

  @Test("captureImageOfWindow drops an image of over 16 MiB", arguments: [(16 << 20, true), (16 << 20 + 1, false)])
  func size(_ count: Int, _ isPassed: Bool) throws {
    let server = try TestHost()
    let host = EventHost(server.bridge, outputBytes: 64 << 20)
    _ = try host.call("initialize", ["delegates": [.string(CaptureWindow.name)]])
    let call = host.send(Self.capture)
    host.answer(try host.nextQuestion(), ["result": .string(Base64Bytes([UInt8](repeating: 0, count: count)).text)])
    #expect((try host.reply(to: call)["result"]?.stringValue != nil) == isPassed)
  }

  @Test("getRestartApplicationMessage returns the text of the alert for a first policy")
  func restart() throws {
    let host = EventHost(try TestHost().bridge)
    _ = try host.call("initialize", ["delegates": [.string(ShowAlert.name)]])
    host.send("enrollmentManager.registerAndEnrollAccount", ["account": .string(TestHost.alice)])
    let alert = try host.nextQuestion()
    #expect(try host.call("uiHelper.getRestartApplicationMessage") == alert["params"]?["message"])
  }
}
