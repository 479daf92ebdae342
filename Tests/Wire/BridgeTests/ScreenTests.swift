import JSON
import TestSupport
import Testing

@testable import Bridge

/// The screens of the SDK, as a host hears of them.
@Suite(.timeLimit(.minutes(5)), .ownThreads) struct ScreenTests {
  private static let takeOver = SDKDidTakeOverUI.name
  private static let release = SDKDidReleaseUI.name
  private static let events: JSONValue = ["types": [.string(takeOver), .string(release)]]

  private static func types(_ server: TestHost) throws -> [String] {
    try server.call("events.list", events)["events"]?.eventTypes ?? []
  }

  @Test("An alert takes over the window that shows it until the user answers")
  func alert() async throws {
    let server = try TestHost()
    let host = EventHost(server.bridge)
    _ = try host.call("initialize", ["delegates": [.string(ShowAlert.name)], "events": [.string(Self.takeOver)]])
    _ = try host.call("uiHelper.showSharingBlockedMessage", ["window": "reader"])
    let question = try host.nextQuestion()
    #expect(try Self.types(server) == [Self.takeOver])
    host.answer(question, ["result": ["action": "OK"]])
    let push = try host.nextPush()
    #expect(push["type"] == .string(Self.takeOver))
    #expect(push["params"]?["window"] == "reader")
    #expect(await eventually { (try? Self.types(server)) == [Self.takeOver, Self.release] })
  }

  @Test("An alert that no host can show takes over no window")
  func nobody() throws {
    let server = try TestHost()
    _ = try server.call("uiHelper.showSharingBlockedMessage", ["window": "reader"])
    #expect(try Self.types(server) == [])
  }

  @Test("A challenge takes over its window until it is answered, even if no host can show it")
  func challenge() throws {
    let server = try TestHost(configure: { $0.pinStretching.cost = 16 })
    try server.enroll()
    let show: JSONValue = ["account": .string(TestHost.alice), "window": "inbox"]
    let error = try server.error("policyManager.setUIPolicyIdentity", show)
    #expect(error["code"] == 8001)
    #expect(try Self.types(server) == [Self.takeOver])
    let id = error["data"]?["challenge"]?["id"] ?? .null
    _ = try server.call("conditionalLaunch.answer", ["challenge": id, "pin": "2580"])
    #expect(try Self.types(server) == [Self.takeOver, Self.release])
  }

  @Test("If a host ends while its user is asked, the window is released when the next host starts")
  func crash() throws {
    let server = try TestHost(configure: { $0.pinStretching.cost = 16 })
    try server.enroll()
    let host = EventHost(server.bridge)
    _ = try host.call("initialize", ["delegates": [.string(PromptForPIN.name)]])
    host.send("policyManager.setUIPolicyIdentity", ["account": .string(TestHost.alice), "window": "inbox"])
    _ = try host.nextQuestion()
    host.closeConnection()
    let next = EventHost(server.bridge)
    _ = try next.call("initialize")
    var taken: Set<JSONValue> = []
    for event in try server.call("events.list", Self.events)["events"]?.arrayValue ?? [] {
      let window = event["params"]?["window"] ?? .null
      if event["type"] == .string(Self.takeOver) {
        #expect(taken.insert(window).inserted)
      } else {
        #expect(taken.remove(window) != nil)
      }
    }
    #expect(!taken.contains("inbox"))
  }
}
