import JSON
import TestSupport
import Testing

@testable import Bridge

@Suite("Conditional launch over the wire", .timeLimit(.minutes(5)), .ownThreads)
struct ConditionalLaunchTests {
  private static let user = "listed@fabrikam.example"
  private static let evaluate = "conditionalLaunch.evaluate"
  private static let setIdentity = "policyManager.setUIPolicyIdentity"
  private static let account: JSONValue = ["account": .string(user)]

  private static func server(_ policy: String) throws -> TestHost {
    let tenant = TenantFolder()
    tenant.write(
      """
      {"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_listed", "displayName": "Listed", \(policy)}
      """, to: "policies/listed.json")
    let server = try TestHost(tenantFolder: tenant)
    #expect(try server.enroll(.string(user)) == 100)
    return server
  }

  private static func outcomes(_ launch: JSONValue) -> [String] {
    launch["rules"]?.arrayValue?.compactMap { $0["outcome"]?.stringValue } ?? []
  }

  @Test("conditionalLaunch.evaluate lists each rule with its required value, the actual value and a text")
  func rules() throws {
    let server = try Self.server(
      #""minimumRequiredOsVersion": "17.0", "allowedIosDeviceModels": "iPhone15,2", "deviceComplianceRequired": true"#)
    _ = try server.call("device.set", ["osVersion": "16.4"])
    let launch = try server.call(Self.evaluate, Self.account)
    #expect(launch["verdict"] == "block")
    #expect(Self.outcomes(launch) == ["block", "passed", "notApplicable"])
    let rule = launch["rules"]?.arrayValue?.first
    #expect(rule?["setting"] == "minimumRequiredOsVersion")
    #expect(rule?["value"] == "17.0")
    #expect(rule?["actual"] == "16.4")
    #expect(rule?["text"] == "osVersion 16.4 is below 17.0: access is blocked.")
    #expect(rule?["policyId"] == "T_listed")
    #expect(launch["host"]?["system"] == "Linux")
    #expect(try server.call(Self.setIdentity, Self.account) == "failed")
    _ = try server.call("device.set", ["osVersion": "17"])
    #expect(try server.call(Self.evaluate, ["window": "inbox"])["verdict"] == "allow")
    #expect(try server.call(Self.setIdentity, Self.account) == "success")
  }

  @Test("conditionalLaunch.evaluate allows an account without a policy and lists no rules")
  func unmanaged() throws {
    let server = try TestHost()
    for params: JSONValue in [["account": "eve@home.example"], ["account": ""], [:]] {
      let launch = try server.call(Self.evaluate, params)
      #expect(launch["verdict"] == "allow")
      #expect(launch["rules"] == [])
      #expect(launch["challenges"] == [])
    }
    #expect(try server.error(Self.evaluate, ["account": 1])["code"] == -32602)
  }

  @Test("Without callbacks, setUIPolicyIdentity fails with a challenge, and succeeds once it is answered")
  func challenge() throws {
    let server = try Self.server(#""minimumWarningAppVersion": "2""#)
    _ = try server.call("device.set", ["appVersion": "1"])
    let error = try server.error(Self.setIdentity, Self.account)
    #expect(error["code"] == 8001)
    let challenge = try #require(error["data"]?["challenge"])
    #expect(try server.call(Self.evaluate, Self.account)["challenges"] == [challenge])
    _ = try server.call("conditionalLaunch.answer", ["challenge": challenge["id"] ?? .null, "accepted": true])
    #expect(try server.call(Self.setIdentity, Self.account) == "success")
    #expect(Self.outcomes(try server.call(Self.evaluate, Self.account)) == ["accepted"])
  }

  @Test("With callbacks, setUIPolicyIdentity shows the user a warning first and asks for a sign-in second")
  func callbacks() throws {
    let server = try Self.server(#""minimumWarningAppVersion": "2", "organizationalCredentialsRequired": true"#)
    _ = try server.call("device.set", ["appVersion": "1"])
    let host = EventHost(server.bridge)
    _ = try host.call("initialize", ["delegates": [.string(ShowAlert.name), .string(PromptForCredentials.name)]])
    let call = host.send(Self.setIdentity, Self.account)
    let warning = try host.nextQuestion()
    #expect(warning["method"] == .string(ShowAlert.name))
    host.answer(warning, ["result": ["action": "Continue"]])
    let prompt = try host.nextQuestion()
    #expect(prompt["method"] == .string(PromptForCredentials.name))
    host.answer(prompt, ["result": ["userPrincipalName": .string(Self.user), "accessToken": "proof"]])
    #expect(try host.reply(to: call)["result"] == "success")
    #expect(try host.call(Self.setIdentity, Self.account) == "success")
  }

  @Test("The time until the next access check starts when the last window enters the background")
  func foreground() throws {
    let server = try Self.server(
      #""organizationalCredentialsRequired": true, "periodOnlineBeforeAccessCheck": "PT30M""#)
    let open = try server.call("conditionalLaunch.didBecomeActive")
    #expect(open["verdict"] == "block")
    let id = open["challenges"]?.arrayValue?.first?["id"] ?? .null
    _ = try server.call("conditionalLaunch.answer", ["challenge": id, "accessToken": "proof"])
    #expect(try server.call("conditionalLaunch.didBecomeActive", ["window": "inbox"])["verdict"] == "allow")
    _ = try server.call("debug.advanceClock", ["by": "PT5H"])
    #expect(try server.call(Self.evaluate)["verdict"] == "allow")
    #expect(try server.call("conditionalLaunch.didEnterBackground") == .null)
    _ = try server.call("debug.advanceClock", ["by": "PT5H"])
    #expect(try server.call(Self.evaluate)["verdict"] == "allow")
    #expect(try server.call("conditionalLaunch.didEnterBackground", ["window": "inbox"]) == .null)
    _ = try server.call("debug.advanceClock", ["by": "PT29M"])
    #expect(try server.call(Self.evaluate)["verdict"] == "allow")
    _ = try server.call("debug.advanceClock", ["by": "PT1M"])
    #expect(try server.call("conditionalLaunch.didBecomeActive")["verdict"] == "block")
    let long = JSONValue.string(String(repeating: "w", count: 5000))
    #expect(try server.error("conditionalLaunch.didBecomeActive", ["window": long])["code"] == 4002)
  }

  private static let switchRequest = "policyDelegate.identitySwitchRequired"

  /// A host whose window shows the account, and a warning that is asked when it comes back.
  private static func resuming(_ flags: [String] = []) throws -> (TestHost, EventHost) {
    let tenant = TenantFolder()
    tenant.write(
      """
      {"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_listed", "displayName": "Listed",
       "minimumWarningAppVersion": "2"}
      """, to: "policies/listed.json")
    let server = try TestHost(tenantFolder: tenant, flags: ["MultiIdentity=true"] + flags)
    // A restart that is due already is not asked for between the questions of a test.
    server.makeRestartDue()
    #expect(try server.enroll(.string(user)) == 100)
    let host = EventHost(server.bridge)
    let delegates: JSONValue = [.string(ShowAlert.name), .string(switchRequest)]
    _ = try host.call("initialize", ["delegates": delegates])
    #expect(try host.call(setIdentity, ["account": .string(user), "window": "inbox"]) == "success")
    _ = try server.call("device.set", ["appVersion": "1"])
    return (server, host)
  }

  @Test(
    "If the user cancels a warning at didBecomeActive, the host is asked to switch to no account",
    arguments: [true, false])
  func cancelAtResume(isSwitched: Bool) throws {
    let (server, host) = try Self.resuming()
    let call = host.send("conditionalLaunch.didBecomeActive", ["window": "inbox"])
    host.answer(try host.nextQuestion(), ["result": ["action": "Cancel"]])
    let question = try host.nextQuestion()
    #expect(question["method"] == .string(Self.switchRequest))
    #expect(
      question["params"] == [
        "accountId": "", "identity": "", "window": "inbox", "reason": "cancelConditionalLaunch",
      ])
    host.answer(question, ["result": isSwitched ? "success" : "failed"])
    #expect(try host.reply(to: call)["result"]?["verdict"] == "block")
    let shown = try host.call("policyManager.getUIPolicyIdentity", ["window": "inbox"])
    // What the host still shows stays under the account's policy.
    #expect(shown["identity"] == (isSwitched ? "" : .string(Self.user)))
    withExtendedLifetime(server) {}
  }

  @Test("No identity switch is requested on a cancel in evaluate or with MultiIdentityCancelDisabled")
  func noSwitch() throws {
    for (method, flags) in [
      ("conditionalLaunch.didBecomeActive", ["MultiIdentityCancelDisabled=true"]), ("conditionalLaunch.evaluate", []),
    ] {
      let (server, host) = try Self.resuming(flags)
      let call = host.send(method, ["window": "inbox"])
      host.answer(try host.nextQuestion(), ["result": ["action": "Cancel"]])
      #expect(try host.reply(to: call)["result"]?["verdict"] == "block")
      #expect(try host.call("policyManager.getUIPolicyIdentity", ["window": "inbox"])["identity"] == .string(Self.user))
      #expect(host.arrivedPushes().isEmpty)
      withExtendedLifetime(server) {}
    }
  }

  @Test("An account offline for 90 days is blocked, must then sign in, and is wiped if the user cancels")
  func ninetyDays() throws {
    let server = try Self.server(#""periodOfflineBeforeWipeIsEnforced": "P90D""#)
    _ = try server.call("device.set", ["networkAvailable": false])
    _ = try server.call("debug.advanceClock", ["by": "P90D"])
    #expect(try server.call(Self.evaluate, Self.account)["verdict"] == "block")
    _ = try server.call("device.set", ["networkAvailable": true])
    let challenge = try #require(try server.error(Self.setIdentity, Self.account)["data"]?["challenge"]?["id"])
    _ = try server.call("conditionalLaunch.answer", ["challenge": challenge, "canceled": true])
    #expect(try server.call("enrollmentManager.registeredAccounts") == [])
    #expect(try server.call(Self.evaluate, Self.account)["rules"] == [])
    let events = try server.call("events.list", ["after": 0, "types": ["policyManager.wipeDidComplete"]])
    #expect(events["events"]?.arrayValue?.count == 1)
  }
}
