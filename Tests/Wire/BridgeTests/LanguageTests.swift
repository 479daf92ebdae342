import JSON
import Model
import TestSupport
import Testing

@testable import Bridge
@testable import MAM

@Suite("The language of texts for users", .timeLimit(.minutes(5)), .ownThreads)
struct LanguageTests {
  private static let alice: JSONValue = .string(TestHost.alice)
  private static let login = "enrollmentManager.loginAndEnrollAccount"

  private static func host(_ server: TestHost, _ locale: String, _ delegates: [String] = []) throws -> EventHost {
    let host = EventHost(server.bridge)
    _ = try host.call(
      "initialize", ["locale": .string(locale), "delegates": .array(delegates.map(JSONValue.string))])
    return host
  }

  private static func text(_ message: UserMessage, _ language: Language, _ detail: String? = nil) -> JSONValue {
    .string(message.text(in: language, detail))
  }

  @Test(
    "Alerts are in the language of the connection's locale, and in English for other locales",
    arguments: [("pt-BR", .portuguese), ("ja", .japanese), ("es_MX.UTF-8", .spanish), ("de", .english)]
      as [(String, Language)])
  fileprivate func alerts(_ locale: String, _ language: Language) throws {
    let server = try TestHost(configure: { $0.language = .italian })
    let host = try Self.host(server, locale, [ShowAlert.name])
    host.send("enrollmentManager.registerAndEnrollAccount", ["account": Self.alice])
    let alert = try #require(try host.nextQuestion()["params"])
    #expect(alert["title"] == Self.text(.alert(.restartTitle), language))
    #expect(alert["message"] == Self.text(.alert(.restartMessage), language))
    #expect(alert["actions"] == [Self.text(.alert(.ok), language)])
    #expect(try host.call("uiHelper.getRestartApplicationMessage") == alert["message"])
    _ = try host.call("uiHelper.showSharingBlockedMessage", ["window": "reader"])
    #expect(try host.nextQuestion()["params"]?["message"] == Self.text(.sharing(.blockedMessage), language))
    #expect(
      try server.call("uiHelper.getRestartApplicationMessage") == Self.text(.alert(.restartMessage), .italian))
  }

  @Test("A prompt is in the language of the connection whose call caused it")
  func prompts() throws {
    let server = try TestHost()
    let host = try Self.host(server, "tr", [PromptForCredentials.name])
    host.send(Self.login, ["account": Self.alice])
    #expect(try host.nextQuestion()["params"]?["message"] == Self.text(.account(.signInMessage), .turkish))
  }

  @Test("A challenge has the same id in every language, and each connection gets its text in its language")
  func challenges() throws {
    let server = try TestHost(configure: { $0.language = .turkish })
    let turkish = try #require(server.error(Self.login, ["account": Self.alice])["data"]?["challenge"])
    #expect(turkish["title"] == Self.text(.account(.signInTitle), .turkish))
    #expect(turkish["message"] == Self.text(.account(.signInMessage), .turkish))

    let host = try Self.host(server, "it-IT")
    let reply = try host.reply(to: host.send(Self.login, ["account": Self.alice]))
    let italian = try #require(reply["error"]?["data"]?["challenge"])
    #expect(italian["id"] == turkish["id"])
    #expect(italian["message"] == Self.text(.account(.signInMessage), .italian))
    let answered = try host.call(
      "conditionalLaunch.answer",
      ["challenge": italian["id"] ?? .null, "accessToken": "t", "userPrincipalName": "bob@contoso.example"])
    #expect(answered["accepted"] == false)
    #expect(answered["challenge"]?["message"] == Self.text(.account(.signInOtherUser), .italian))
  }

  @Test("A warning that was accepted in one language is not shown again in another")
  func warnings() throws {
    let folder = TenantFolder()
    folder.write(
      """
      {"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_1", "displayName": "P",
       "minimumWarningOsVersion": "17.0"}
      """, to: "policies/1.json")
    let server = try TestHost(tenantFolder: folder)
    _ = try server.call("device.set", ["osVersion": "16.4"])
    try server.enroll("listed@fabrikam.example")
    let evaluated = try server.call("conditionalLaunch.evaluate", ["account": "listed@fabrikam.example"])
    let challenge = try #require(evaluated["challenges"]?.arrayValue?.first)
    #expect(challenge["message"] == Self.text(.version(.systemTooLowWarning), .english, "17.0"))
    _ = try server.call("conditionalLaunch.answer", ["challenge": challenge["id"] ?? .null, "accepted": true])
    let host = try Self.host(server, "pt")
    let again = try host.call("conditionalLaunch.evaluate", ["account": "listed@fabrikam.example"])
    #expect(again["verdict"] == "allow")
    #expect(again["challenges"] == [])
    let message = again["rules"]?.arrayValue?.first { $0["setting"] == "minimumWarningOsVersion" }?["message"]
    #expect(message == Self.text(.version(.systemTooLowWarning), .portuguese, "17.0"))
  }

  @Test(
    "A compliance report is in the language of the calling connection",
    arguments: [("es", .spanish), ("ja-JP", .japanese)] as [(String, Language)])
  fileprivate func compliance(_ locale: String, _ language: Language) throws {
    let server = try TestHost()
    let host = try Self.host(server, locale)
    let params: JSONValue = ["account": Self.alice, "silent": true]
    #expect(try host.call("complianceManager.remediateCompliance", params) == "interactionRequired")
    let events = try server.call("events.list", ["after": 0, "types": ["complianceDelegate.hasComplianceStatus"]])
    let report = try #require(events["events"]?.arrayValue?.first?["params"])
    #expect(report["errorMessage"] == Self.text(.compliance(.interactionRequired), language))
    #expect(report["errorTitle"] == Self.text(.compliance(.interactionRequiredTitle), language))
  }

  @Test("An error about a PIN has a userMessage in the user's language and a message in English")
  func pins() throws {
    let server = try TestHost(configure: { $0.pinStretching.cost = 16 })
    try server.enroll()
    let host = try Self.host(server, "pt-PT")
    let error = try host.reply(to: host.send("pin.set", ["account": Self.alice, "pin": "12"]))["error"]
    let text = "Este PIN não pode ser usado. O PIN precisa ter pelo menos 4 caracteres."
    #expect(error?["data"]?["userMessage"] == .string(text))
    #expect(error?["message"] == "This PIN cannot be used. The PIN must have at least 4 characters.")
  }

  @Test(
    "Enforcement methods state the reason for a refusal in the language of the connection",
    arguments: [("it", .italian), ("tr-TR", .turkish)] as [(String, Language)])
  fileprivate func refusals(_ locale: String, _ language: Language) throws {
    let server = try Self.strictServer()
    let host = try Self.host(server, locale)
    func refusal(_ title: SharingMessage, _ message: SharingMessage, _ detail: String? = nil) -> JSONValue {
      [
        "title": Self.text(.sharing(title), language), "message": Self.text(.sharing(message), language, detail),
      ]
    }
    let bytes = try host.call("enforcement.paste", ["data": "aGVsbG8=", "account": Self.listed])
    #expect(bytes["refusal"] == refusal(.incomingTitle, .clipboardBlocked))
    let pasted = try host.call("enforcement.paste", ["text": "too long", "account": Self.listed])
    #expect(pasted["refusal"] == refusal(.incomingTitle, .clipboardIncomingTooLong, "5"))
    let received = try host.call("enforcement.receive", ["source": ["managed": false], "url": "contoso:x"])
    #expect(received["refusal"] == refusal(.incomingTitle, .incomingRestricted))
    let opened = try host.call("enforcement.openURL", ["url": "https://example.com", "account": Self.listed])
    #expect(opened["refusal"] == refusal(.blockedTitle, .edgeRequired))
    for (action, message) in [("print", SharingMessage.printing), ("dictation", .dictation)] {
      let params: JSONValue = ["action": .string(action), "account": Self.listed]
      let why = try host.call("policy.explain", ["query": "enforcement.isActionAllowed", "params": params])
      #expect(why["verdict"] == false)
      #expect(why["refusal"] == refusal(.blockedTitle, message))
    }
    let notification = try host.call("enforcement.redactNotification", ["Eve", "The figures", Self.listed])
    #expect(notification["title"] == Self.text(.alert(.notificationTitle), language))
  }

  private static let listed: JSONValue = "listed@fabrikam.example"

  private static func strictServer() throws -> TestHost {
    let folder = TenantFolder()
    folder.write(
      """
      {"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_1", "displayName": "P",
       "allowedOutboundClipboardSharingLevel": "blocked", "allowedOutboundClipboardSharingExceptionLength": 5,
       "allowedInboundDataTransferSources": "managedApps", "managedBrowserToOpenLinksRequired": true,
       "printBlocked": true, "DictationBlocked": true, "notificationRestriction": "blockOrganizationalData"}
      """, to: "policies/1.json")
    let server = try TestHost(tenantFolder: folder)
    try server.enroll(listed)
    return server
  }
}
