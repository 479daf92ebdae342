import JSON
import TestSupport
import Testing

@testable import Bridge

@Suite("PINs over the wire", .timeLimit(.minutes(5)), .ownThreads)
struct PINTests {
  private static let alice: JSONValue = .string(TestHost.alice)
  private static let show: JSONValue = ["account": alice, "window": "inbox"]
  private static let setIdentity = "policyManager.setUIPolicyIdentity"
  private static let answer = "conditionalLaunch.answer"

  private static func enrolled(_ folder: TemporaryFolder = TemporaryFolder()) throws -> TestHost {
    let server = try TestHost(folder: folder, configure: { $0.pinStretching.cost = 16 })
    try server.enroll()
    return server
  }

  private static func challenge(_ server: TestHost) throws -> JSONValue {
    let error = try server.error(setIdentity, show)
    #expect(error["code"] == 8001)
    return try #require(error["data"]?["challenge"])
  }

  private static func wait(_ server: TestHost, minutes: Int64) {
    server.clock.advance(byMilliseconds: minutes * 60_000)
  }

  @Test("A PIN can be set, changed and reset, and pin.status says whether it is set")
  func methods() throws {
    let server = try Self.enrolled()
    let account: JSONValue = ["account": Self.alice]
    #expect(
      try server.call("pin.status", account)
        == ["required": true, "isSet": false, "retriesLeft": 5, "expires": .null])
    #expect(try server.call("pin.set", ["account": Self.alice, "pin": "2580"]) == .null)
    #expect(try server.call("pin.change", ["account": Self.alice, "pin": "2580", "newPin": "8520"]) == .null)
    #expect(try server.call("pin.status")["isSet"] == true)
    #expect(try server.call("pin.reset", ["account": Self.alice, "accessToken": "t"]) == .null)
    #expect(try server.call("pin.status", account)["isSet"] == false)
    #expect(try server.call("pin.status", ["account": "eve@home.example"])["required"] == false)
    #expect(try server.call("diagnosticsLog.query", ["text": "8520"]) == [])
  }

  @Test(
    "A refused PIN call has an error code, a hint and the key of the message for the user",
    arguments: [
      ("pin.set", ["account": alice, "pin": "123"], 8014, "Passcode_Length_Required"),
      ("pin.set", ["account": alice, "pin": "12ab"], 8014, "Only_Numeric_Allowed"),
      ("pin.set", ["account": alice, "pin": .string(String(repeating: "2580", count: 33))], 8014, "Set_Pin_Error"),
      ("pin.set", ["account": "eve@home.example", "pin": "2580"], 8010, nil),
      ("pin.change", ["account": alice, "pin": "2580", "newPin": "8520"], 8011, nil),
      ("pin.reset", ["account": alice, "accessToken": "t"], 8011, nil),
    ] as [(String, JSONValue, Int64, String?)])
  func errors(_ method: String, _ params: JSONValue, _ code: Int64, _ key: String?) throws {
    let error = try Self.enrolled().error(method, params)
    #expect(error["code"] == .integer(code))
    #expect(error["data"]?["hint"]?.stringValue?.isEmpty == false)
    #expect(error["data"]?["messageKey"]?.stringValue == key)
  }

  @Test("Each wrong PIN lowers retriesLeft, and after the last one only pin.reset with a token helps")
  func tries() throws {
    let server = try Self.enrolled()
    _ = try server.call("pin.set", ["pin": "2580"])
    #expect(try server.error("pin.set", ["pin": "8520"])["code"] == 8012)
    let wrong: JSONValue = ["pin": "0000", "newPin": "8520"]
    for left in (1...4).reversed() {
      let error = try server.error("pin.change", wrong)
      #expect(error["code"] == 8013)
      #expect(error["data"]?["messageKey"] == "Enter_Pin_Error")
      #expect(try server.call("pin.status")["retriesLeft"] == .integer(Int64(left)))
    }
    #expect(try server.error("pin.change", wrong)["code"] == 8015)
    #expect(try server.error("pin.change", ["pin": "2580", "newPin": "8520"])["code"] == 8015)
    #expect(try server.error("pin.reset", ["accessToken": ""])["code"] == 7003)
    _ = try server.call("pin.reset", ["accessToken": "t"])
    _ = try server.call("pin.set", ["pin": "8520"])
  }

  @Test("Without callbacks, setUIPolicyIdentity fails with a PIN challenge until the challenge is answered")
  func challenges() throws {
    let folder = TemporaryFolder()
    let server = try Self.enrolled(folder)
    let set = try Self.challenge(server)
    #expect(set["kind"] == "setPIN")
    #expect(set["window"] == "inbox")
    #expect(set["biometrics"] == .null)
    let id = set["id"] ?? .null
    let refused = try server.call(Self.answer, ["challenge": id, "pin": "12"])
    #expect(refused["accepted"] == false)
    #expect(refused["challenge"]?["id"] == id)
    #expect(refused["challenge"]?["message"] != set["message"])
    #expect(try Self.enrolled(folder).call(Self.answer, ["challenge": id, "pin": "2580"])["accepted"] == true)
    #expect(try server.call(Self.setIdentity, Self.show) == "success")

    Self.wait(server, minutes: 30)
    let enter = try Self.challenge(server)
    #expect(enter["kind"] == "enterPIN")
    #expect(enter["biometrics"] == ["touchID", "faceID"])
    let wrong = try server.call(Self.answer, ["challenge": enter["id"] ?? .null, "pin": "0000"])
    #expect(wrong["accepted"] == false)
    #expect(wrong["challenge"]?["biometrics"] == ["touchID", "faceID"])
    let both: JSONValue = ["challenge": enter["id"] ?? .null, "pin": "2580", "biometric": "faceID"]
    #expect(try server.error(Self.answer, both)["code"] == 8003)
    let face: JSONValue = ["challenge": enter["id"] ?? .null, "biometric": "faceID"]
    #expect(try server.call(Self.answer, face) == ["accepted": true, "challenge": .null])
    #expect(try server.call(Self.setIdentity, Self.show) == "success")
    #expect(try server.error(Self.answer, ["challenge": enter["id"] ?? .null, "biometric": "voice"])["code"] == -32602)
  }

  @Test("If a PIN challenge is canceled, the repeated setUIPolicyIdentity returns canceled")
  func cancel() throws {
    let server = try Self.enrolled()
    let id = try Self.challenge(server)["id"] ?? .null
    #expect(try server.call(Self.answer, ["challenge": id, "canceled": true])["accepted"] == false)
    #expect(try server.call(Self.setIdentity, Self.show) == "canceled")
    #expect(try Self.challenge(server)["kind"] == "setPIN")
  }

  @Test("A host with ui.promptForPIN is asked again after a wrong PIN, and may answer with a biometric")
  func prompt() throws {
    let server = try Self.enrolled()
    let host = EventHost(server.bridge)
    _ = try host.call("initialize", ["delegates": [.string(PromptForPIN.name)]])
    let first = host.send(Self.setIdentity, Self.show)
    for (pin, kind) in [("1", "setPIN"), ("2580", "setPIN")] {
      let question = try host.nextQuestion()
      #expect(question["method"] == .string(PromptForPIN.name))
      #expect(question["params"]?["challenge"]?["kind"] == .string(kind))
      host.answer(question, ["result": ["pin": .string(pin)]])
    }
    #expect(try host.reply(to: first)["result"] == "success")

    Self.wait(server, minutes: 30)
    let second = host.send(Self.setIdentity, Self.show)
    host.answer(try host.nextQuestion(), ["result": ["pin": "0000"]])
    let again = try host.nextQuestion()
    #expect(again["params"]?["challenge"]?["biometrics"] == ["touchID", "faceID"])
    host.answer(again, ["result": ["biometric": "touchID"]])
    #expect(try host.reply(to: second)["result"] == "success")

    Self.wait(server, minutes: 30)
    let third = host.send(Self.setIdentity, Self.show)
    host.answer(try host.nextQuestion(), ["error": ["code": 7002, "message": "canceled"]])
    #expect(try host.reply(to: third)["result"] == "canceled")
    let fourth = host.send(Self.setIdentity, Self.show)
    host.answer(try host.nextQuestion(), ["result": ["pin": "2580", "biometric": "touchID"]])
    #expect(try host.reply(to: fourth)["error"]?["code"] == 8001)
    #expect(try server.call("pin.status")["retriesLeft"] == 4)
  }

  @Test("The last wrong PIN wipes the account before the reply if the policy says so")
  func wipe() throws {
    let tenant = TenantFolder()
    tenant.write(
      """
      {"@odata.type": "#microsoft.graph.iosManagedAppProtection",
       "id": "T_closed", "displayName": "Closed", "pinRequired": true, "maximumPinRetries": 2,
       "appActionIfMaximumPinRetriesExceeded": "wipe"}
      """, to: "policies/closed.json")
    let server = try TestHost(.folder(tenant.path), tenantFolder: tenant, configure: { $0.pinStretching.cost = 16 })
    try server.enroll("closed@fabrikam.example")
    _ = try server.call("pin.set", ["pin": "2580"])
    Self.wait(server, minutes: 1)
    let show: JSONValue = ["account": "closed@fabrikam.example"]
    let id = try server.error(Self.setIdentity, show)["data"]?["challenge"]?["id"] ?? .null
    let wrong: JSONValue = ["challenge": id, "pin": "0000"]
    #expect(try server.call(Self.answer, wrong)["challenge"]?["id"] == id)
    #expect(try server.call(Self.answer, wrong) == ["accepted": false, "challenge": .null])
    #expect(try server.call("enrollmentManager.registeredAccounts") == [])
    let events = try server.call("events.list", ["after": 0])["events"]?.eventTypes ?? []
    #expect(events.contains("policyManager.wipeDidComplete"))
  }
}
