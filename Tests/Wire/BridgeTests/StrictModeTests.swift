import JSON
import Model
import Support
import TestSupport
import Testing

@testable import Bridge
@testable import MAM

@Suite("Strict mode", .timeLimit(.minutes(5)), .ownThreads)
struct StrictModeTests {
  private static let alice: JSONValue = .string(TestHost.alice)
  private static let event = "strictMode.violation"

  /// A call with a mistake.
  struct Mistake: CustomTestStringConvertible, Sendable {
    let check: StrictCheck
    let method: String
    let params: JSONValue
    var flags: [String] = []

    /// A path is that of nothing in the host's own folder.
    func params(for host: TestHost) -> JSONValue {
      guard var object = params.objectValue, let path = object["path"]?.stringValue else { return params }
      object["path"] = .string(host.folder.file(path))
      return .object(object)
    }

    var testDescription: String { "\(check.rawValue) in \(method)" }
  }

  private static let mistakes = [
    Mistake(
      check: .authenticationCallbackNotRegistered, method: "enrollmentManager.registerAndEnrollAccount",
      params: ["account": "00000000-0000-4000-8000-000000000000"]),
    Mistake(
      check: .identityNoSuchFile, method: "fileProtectionManager.protect", params: ["path": "missing"]),
    Mistake(check: .upnIdentityParam, method: "policy.isPINRequired", params: ["account": alice]),
    Mistake(check: .upnIdentityParam, method: "policy.isPINRequired", params: [alice]),
    Mistake(
      check: .upnIdentityParam, method: "enforcement.filterShareTargets",
      params: ["targets": [["id": "app", "managed": true, "account": alice]], "account": ""]),
    Mistake(
      check: .saveToLocationMissingOID, method: "policy.isSaveToAllowedForLocation",
      params: ["location": "sharePoint", "account": ""]),
    Mistake(
      check: .openFromLocationMissingOID, method: "policy.isOpenFromAllowedForLocation",
      params: ["location": "accountDocument", "locationAccount": "", "account": ""]),
    Mistake(
      check: .unmanagedContextFound, method: "policy.isPINRequired", params: [:], flags: ["MultiIdentity=true"]),
    Mistake(
      check: .invalidMAMServiceToken, method: "enrollmentManager.updateToken",
      params: [
        "account": "00000000-0000-4000-8000-000000000000", "resource": "https://graph.microsoft.com",
        "accessToken": "eyJ0eXAi",
      ]),
    Mistake(
      check: .invalidMAMServiceToken, method: "enrollmentManager.updateToken",
      params: [
        "account": "00000000-0000-4000-8000-000000000000", "resource": "https://msmamservice.api.application",
        "accessToken": "no token",
      ]),
    Mistake(
      check: .deprecatedAPI, method: "policyManager.primaryUser", params: [:], flags: ["MultipleManagedAccounts=true"]),
    Mistake(
      check: .deprecatedAPI, method: "enrollmentManager.enrolledAccount", params: [:],
      flags: ["MultipleManagedAccounts=true"]),
    Mistake(check: .deprecatedAPI, method: "settings.get", params: ["names": ["MultipleManagedAccounts"]]),
    Mistake(
      check: .contentIntentWithoutIdentity, method: "enforcement.receive",
      params: ["source": ["managed": true], "url": "contoso:x"]),
  ]

  private func violations(_ host: TestHost) throws -> [JSONValue] {
    let list = try host.call("events.list", ["after": 0, "types": [.string(Self.event)]])
    return list["events"]?.arrayValue?.compactMap { $0["params"] } ?? []
  }

  /// A host of which alice is a managed account.
  private func host(_ flags: [String]) throws -> TestHost {
    let host = try TestHost(flags: flags)
    try host.enroll()
    return host
  }

  @Test("A wrong call fails with 4003 and sends a violation event if its strict mode check is on", arguments: mistakes)
  func fails(_ mistake: Mistake) throws {
    let host = try host(mistake.flags)
    _ = try host.call("strictMode.enable", ["checks": [.string(mistake.check.rawValue)]])
    let error = try host.error(mistake.method, mistake.params(for: host))
    #expect(error["code"] == 4003)
    #expect(error["data"]?["name"] == "strictViolation")
    #expect(error["message"]?.stringValue?.hasPrefix(mistake.check.rawValue) == true)
    let told = try violations(host)
    #expect(told.count == 1)
    #expect(told.first?["check"] == .string(mistake.check.rawValue))
    #expect(told.first?["method"] == .string(mistake.method))
  }

  @Test("With StrictMode=report, a wrong call has its usual result and sends strictMode.violation", arguments: mistakes)
  func reports(_ mistake: Mistake) throws {
    let silent = try host(mistake.flags)
    let quiet = try silent.reply(mistake.method, mistake.params(for: silent))
    let host = try host(mistake.flags + ["StrictMode=report"])
    let before = try violations(host).count
    let reply = try host.reply(mistake.method, mistake.params(for: host))
    #expect(reply["result"] == quiet["result"])
    #expect(reply["error"]?["code"] == quiet["error"]?["code"])
    let told = try violations(host).dropFirst(before).map { $0["check"] }
    #expect(told.contains(.string(mistake.check.rawValue)), "\(told)")
  }

  @Test("Without strict mode, no wrong call fails with 4003 or sends strictMode.violation", arguments: mistakes)
  func off(_ mistake: Mistake) throws {
    let host = try host(mistake.flags)
    #expect(try host.reply(mistake.method, mistake.params(for: host))["error"]?["code"] != 4003)
    #expect(try violations(host).isEmpty)
  }

  @Test("strictMode.enable and strictMode.disable switch single checks and return those that are on")
  func switches() throws {
    let host = try TestHost()
    let all = StrictCheck.allCases.map { JSONValue.string($0.rawValue) }
    #expect(try host.call("strictMode.enable") == .array(all))
    #expect(try host.call("strictMode.disable", ["checks": ["severeEvent", "deprecatedAPI"]]).arrayValue?.count == 13)
    #expect(try host.call("strictMode.disable") == [])
    #expect(try host.call("strictMode.enable", ["checks": ["upnIdentityParam"]]) == ["upnIdentityParam"])
    #expect(try host.error("strictMode.enable", ["checks": ["everything"]])["code"] == -32602)
  }

  @Test("The setting StrictMode switches all checks on or off at once")
  func setting() throws {
    let host = try TestHost()
    _ = try host.call("settings.set", ["values": ["StrictMode": "error"]])
    #expect(try host.error("policy.isPINRequired", ["account": Self.alice])["code"] == 4003)
    _ = try host.call("settings.set", ["values": ["StrictMode": "off"]])
    _ = try host.call("policy.isPINRequired", ["account": Self.alice])
    let error = try host.error("settings.set", ["values": ["StrictMode": "loud"]])
    #expect(error["code"] == -32602)
    #expect(error["data"]?["path"] == "/values/StrictMode")
  }

  @Test("strictMode.disable can exempt a single thread from a check until strictMode.enable")
  func scope() throws {
    let host = try TestHost(flags: ["StrictMode=error"])
    let checks: JSONValue = ["upnIdentityParam"]
    _ = try host.call("strictMode.disable", ["checks": checks, "thread": "import"])
    _ = try host.call("policy.isPINRequired", ["account": Self.alice, "thread": "import"])
    #expect(try host.error("policy.isPINRequired", ["account": Self.alice])["code"] == 4003)
    _ = try host.call("strictMode.enable", ["checks": checks, "thread": "import"])
    #expect(try host.error("policy.isPINRequired", ["account": Self.alice, "thread": "import"])["code"] == 4003)
  }

  @Test("A call that fails in strict mode has no effect")
  func nothingHappens() throws {
    let host = try TestHost(flags: ["StrictMode=error"])
    #expect(try host.error("policyManager.setCurrentThreadIdentity", ["account": Self.alice])["code"] == 4003)
    #expect(try host.call("policyManager.getCurrentThreadIdentity") == .null)
    #expect(try host.error("enrollmentManager.registerAndEnrollAccount", ["account": Self.alice])["code"] == 4003)
    #expect(try host.call("enrollmentManager.registeredAccounts") == [])
  }

  @Test("The check registerAccountWrongUser fails the call after the account has been registered")
  func wrongUser() throws {
    let host = try host([])
    _ = try host.call("strictMode.enable", ["checks": ["registerAccountWrongUser"]])
    let error = try host.error("enrollmentManager.registerAndEnrollAccount", ["account": "bob@contoso.example"])
    #expect(error["code"] == 4003)
    #expect(try violations(host).map { $0["account"]?["identity"] } == ["bob@contoso.example"])
    #expect(try host.call("enrollmentManager.registeredAccounts").arrayValue?.count == 2)
  }

  @Test("Strict mode refuses openURL for no account, and for another account than the window shows")
  func handOver() throws {
    let host = try host(["MultiIdentity=true"])
    _ = try host.call("pin.set", ["pin": "2580", "account": Self.alice])
    #expect(
      try host.call("policyManager.setUIPolicyIdentity", ["account": Self.alice, "window": "inbox"]) == "success")
    _ = try host.call("strictMode.enable")
    _ = try host.call("strictMode.disable", ["checks": ["upnIdentityParam"]])
    for (account, check) in [("", "contentIntentWithoutIdentity"), ("eve@home.example", "intentIdentityMismatch")] {
      let params: JSONValue = ["url": "https://contoso.example/", "account": .string(account), "window": "inbox"]
      let error = try host.error("enforcement.openURL", params)
      #expect(error["message"]?.stringValue?.hasPrefix(check) == true)
    }
    _ = try host.call("enforcement.openURL", ["url": "https://contoso.example/", "window": "inbox"])
  }

  @Test("Strict mode refuses enforcement.receive if no host can switch the window to the account")
  func incoming() throws {
    let host = try host(["MultiIdentity=true"])
    _ = try host.call("strictMode.enable", ["checks": ["incomingIdentitySwitch"]])
    let params: JSONValue = [
      "source": ["account": Self.alice, "managed": true], "url": "contoso:x", "window": "inbox",
    ]
    #expect(try host.error("enforcement.receive", params)["code"] == 4003)
  }

  @Test("Strict mode refuses updateToken and unenrolling while the host is asked for a token")
  func withinAcquireToken() throws {
    let server = try TestHost()
    let host = EventHost(server.bridge)
    _ = try host.call("initialize", ["delegates": ["auth.acquireToken"]])
    _ = try host.call(
      "strictMode.enable",
      ["checks": ["updateTokenWithinAcquireToken", "unregisterAccountWithinAcquireToken", "invalidMAMServiceToken"]])
    let login = host.send("enrollmentManager.loginAndEnrollAccount", ["account": Self.alice])
    let question = try host.nextQuestion()
    let update = host.send(
      "enrollmentManager.updateToken",
      ["account": Self.alice, "resource": .string(server.bridge.core.tokens.resource), "accessToken": "eyJ0eXAi"])
    #expect(try host.reply(to: update)["error"]?["code"] == 4003)
    let leave = host.send("enrollmentManager.deRegisterAndUnenrollAccount", ["account": Self.alice])
    #expect(try host.reply(to: leave)["error"]?["code"] == 4003)
    host.answer(question, ["result": ["accessToken": "no token", "expires": .null]])
    #expect(try host.reply(to: login)["result"]?["statusCode"] == 100)
    let list = try server.call("events.list", ["after": 0, "types": [.string(Self.event)]])
    let checks = list["events"]?.arrayValue?.compactMap { $0["params"]?["check"]?.stringValue }
    #expect(
      checks == [
        "updateTokenWithinAcquireToken", "unregisterAccountWithinAcquireToken", "invalidMAMServiceToken",
      ])
  }

  @Test("An error line in the log is reported as the violation severeEvent, without a method")
  func severe() async throws {
    let host = try TestHost(flags: ["StrictMode=report"])
    try host.bridge.core.refresh().log.write(.error, .policy, "something broke")
    #expect(await eventually { (try? violations(host))?.isEmpty == false })
    let told = try #require(try violations(host).first)
    #expect(told["check"] == "severeEvent")
    #expect(told["method"] == .null)
    #expect(told["detail"]?.stringValue?.contains("policy") == true)
  }

  @Test(
    "The check upnIdentityParam knows every parameter that holds an account", arguments: RequestCase.all)
  func parameters(_ method: RequestCase) {
    let reference: JSONValue = "#/components/schemas/AccountReference"
    let others: Set = ["policyManager.isIdentityEqual"]
    for field in method.params where field.schema.jsonText.contains(reference.stringValue ?? "") {
      let isKnown = ["account", "accounts", "locationAccount", "source", "targets"].contains(field.name)
      #expect(isKnown || others.contains(method.method.name), "\(method.method.name) \(field.name)")
    }
  }
}
