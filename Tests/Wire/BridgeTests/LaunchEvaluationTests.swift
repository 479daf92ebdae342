import JSON
import TestSupport
import Testing

@testable import Bridge
@testable import MAM

@Suite("initialize evaluates the conditional launch of the process identity", .timeLimit(.minutes(5)), .ownThreads)
struct LaunchEvaluationTests {
  private static let user = "listed@fabrikam.example"

  private static func server(_ policy: String, flags: [String] = []) throws -> (TestHost, TenantFolder) {
    let tenant = TenantFolder()
    tenant.write(
      """
      {"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_listed", "displayName": "Listed", \(policy)}
      """, to: "policies/listed.json")
    let server = try TestHost(tenantFolder: tenant, flags: flags)
    _ = server.bridge.core.parts.memory.restart.becomeDue()
    #expect(try server.enroll(.string(user)) == 100)
    return (server, tenant)
  }

  private func launch(_ server: TestHost) throws -> JSONValue {
    try #require(EventHost(server.bridge).call("initialize")["launch"])
  }

  static let verdicts: [(String, JSONObject, JSONValue, [JSONValue], [JSONValue])] = [
    (#""minimumRequiredOsVersion": "17.0""#, ["osVersion": "17"], "allow", [], []),
    (
      #""minimumRequiredOsVersion": "17.0", "minimumWarningOsVersion": "18""#, ["osVersion": "16.4"], "block",
      ["minimumRequiredOsVersion", "minimumWarningOsVersion"], []
    ),
    (
      #""minimumWarningAppVersion": "2""#, ["appVersion": "1"], "warn", ["minimumWarningAppVersion"], ["warning"]
    ),
    (#""pinRequired": true"#, [:], "block", ["pinRequired"], ["setPIN"]),
    (
      #""minimumWarningAppVersion": "2", "pinRequired": true, "organizationalCredentialsRequired": true"#,
      ["appVersion": "1"], "block", ["minimumWarningAppVersion", "organizationalCredentialsRequired", "pinRequired"],
      ["warning", "setPIN", "credentials"]
    ),
  ]

  @Test("The launch report has the worst verdict, the rules behind it and all open challenges", arguments: verdicts)
  func verdict(
    _ policy: String, _ device: JSONObject, _ verdict: JSONValue, _ reasons: [JSONValue], _ kinds: [JSONValue]
  ) throws {
    let (server, tenant) = try Self.server(policy)
    defer { withExtendedLifetime(tenant) {} }
    _ = try server.call("device.set", .object(device))
    let report = try launch(server)
    #expect(report["verdict"] == verdict)
    #expect(report["conditionalLaunch"]?["verdict"] == verdict)
    #expect(report["reasons"]?.arrayValue?.map { $0["setting"] } == reasons)
    let open = try #require(report["conditionalLaunch"]?["challenges"])
    #expect(open.arrayValue?.map { $0["kind"] } == kinds)

    // A second look finds the same challenges, and so does the call that can be repeated after an answer.
    #expect(try launch(server)["conditionalLaunch"]?["challenges"] == open)
    let evaluated = try server.call("conditionalLaunch.evaluate", ["account": .string(Self.user)])
    #expect(evaluated["verdict"] == verdict)
    #expect(evaluated["challenges"] == open)
  }

  @Test("A launch verdict other than allow is sent as an event, without conditionalLaunch")
  func event() throws {
    let (server, tenant) = try Self.server(#""minimumRequiredOsVersion": "17.0""#)
    defer { withExtendedLifetime(tenant) {} }
    _ = try server.call("device.set", ["osVersion": "16.4"])
    let host = EventHost(server.bridge)
    let report = try host.call("initialize", ["events": ["policyManager.launchReport"]])["launch"]
    let event = try host.nextPush()["params"]
    #expect(event?["verdict"] == "block")
    #expect(event?["reasons"] == report?["reasons"])
    #expect(event?["conditionalLaunch"] == .null)
  }

  @Test("initialize evaluates the conditional launch without any request to the host")
  func silent() throws {
    let (server, tenant) = try Self.server(
      #""minimumWarningAppVersion": "2", "pinRequired": true, "organizationalCredentialsRequired": true"#)
    defer { withExtendedLifetime(tenant) {} }
    _ = try server.call("device.set", ["appVersion": "1"])
    let delegates: JSONValue = ["ui.showAlert", "ui.promptForPIN", "ui.promptForCredentials", "auth.acquireToken"]
    let first = EventHost(server.bridge)
    _ = try first.call("initialize", ["delegates": delegates])
    _ = try EventHost(server.bridge).call("initialize", ["delegates": delegates])
    _ = try first.call("settings.get")
    #expect(first.arrivedPushes().isEmpty)
  }

  @Test("If a launch rule wipes, initialize replies, and the host is then asked to remove its own data")
  func wipe() throws {
    let (server, tenant) = try Self.server(#""minimumWipeAppVersion": "2""#)
    defer { withExtendedLifetime(tenant) {} }
    _ = try server.call("device.set", ["appVersion": "1"])
    let host = EventHost(server.bridge)
    let call = host.send(
      "initialize", ["delegates": ["policyDelegate.wipeDataForAccount"], "events": ["policyManager.wipeDidComplete"]])
    let question = try host.nextQuestion()
    #expect(question["method"] == "policyDelegate.wipeDataForAccount")
    #expect(host.hasReply(to: call))
    let report = try host.reply(to: call)["result"]?["launch"]
    #expect(report?["verdict"] == "wipe")
    #expect(report?["reasons"]?.arrayValue?.first?["setting"] == "minimumWipeAppVersion")
    let protect: JSONValue = ["string": "x", "account": .string(Self.user)]
    #expect(try server.reply("dataProtectionManager.protectString", protect)["error"] != nil)
    host.answer(question, ["result": true])
    #expect(try host.nextPush()["type"] == "policyManager.wipeDidComplete")
    #expect(try server.call("enrollmentManager.registeredAccounts") == [])
  }

  @Test("initialize wipes the account if the limit of wrong PINs is reached and its action is wipe")
  func wipeForPIN() throws {
    let (server, tenant) = try Self.server(
      #""pinRequired": true, "maximumPinRetries": 1, "appActionIfMaximumPinRetriesExceeded": "block""#)
    defer { withExtendedLifetime(tenant) {} }
    let account = JSONValue.string(Self.user)
    _ = try server.call("pin.set", ["account": account, "pin": "2580"])
    _ = try server.reply("pin.change", ["account": account, "pin": "1111", "newPin": "3690"])
    #expect(try launch(server)["conditionalLaunch"]?["challenges"]?.arrayValue?.map { $0["kind"] } == ["credentials"])
    tenant.write(
      """
      {"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_listed", "displayName": "Listed",
       "pinRequired": true, "maximumPinRetries": 1, "appActionIfMaximumPinRetriesExceeded": "wipe"}
      """, to: "policies/listed.json")
    _ = try server.call("tenant.checkIn")
    let host = EventHost(server.bridge)
    let report = try host.call("initialize", ["events": ["policyManager.wipeDidComplete"]])["launch"]
    #expect(report?["verdict"] == "wipe")
    #expect(try host.nextPush()["type"] == "policyManager.wipeDidComplete")
  }

  @Test("With MultiIdentity, initialize evaluates no account, and the report gives MultiIdentity as reason")
  func multiIdentity() throws {
    let (server, tenant) = try Self.server(
      #""minimumWipeAppVersion": "2", "pinRequired": true"#, flags: ["MultiIdentity=true"])
    defer { withExtendedLifetime(tenant) {} }
    _ = try server.call("device.set", ["appVersion": "1"])
    _ = try server.call("policyManager.setProcessIdentity", ["account": .string(Self.user)])
    let report = try launch(server)
    #expect(report["verdict"] == "allow")
    #expect(report["conditionalLaunch"] == .null)
    #expect(report["reasons"]?.arrayValue?.map { $0["setting"] } == ["MultiIdentity"])
    #expect(try server.call("enrollmentManager.registeredAccounts").arrayValue?.count == 1)
  }

  @Test("initialize evaluates the process identity that was set, and allows a launch for no user")
  func processIdentity() throws {
    let (server, tenant) = try Self.server(#""pinRequired": true"#)
    defer { withExtendedLifetime(tenant) {} }
    _ = try server.call("policyManager.setProcessIdentity", ["account": ""])
    #expect(try launch(server)["verdict"] == "allow")
    #expect(try launch(server)["conditionalLaunch"] == .null)
    _ = try server.call("policyManager.setProcessIdentity", ["account": .string(Self.user)])
    #expect(try launch(server)["verdict"] == "block")
  }

  @Test("initialize checks in if that can end a block for an expired offline period")
  func checkIn() throws {
    let (server, tenant) = try Self.server(#""periodOfflineBeforeAccessCheck": "PT720M""#)
    _ = try server.call("device.set", ["networkAvailable": false])
    _ = try server.call("debug.advanceClock", ["by": "PT720M"])
    #expect(try launch(server)["verdict"] == "block")
    _ = try server.call("device.set", ["networkAvailable": true])
    #expect(try launch(server)["verdict"] == "allow")
    withExtendedLifetime(tenant) {}
  }

  @Test("initialize does not count as use, so the time until the next access check continues")
  func noUse() throws {
    let (server, tenant) = try Self.server(#""pinRequired": true, "periodOnlineBeforeAccessCheck": "PT30M""#)
    defer { withExtendedLifetime(tenant) {} }
    _ = try server.call("pin.set", ["account": .string(Self.user), "pin": "2580"])
    _ = try server.call("debug.advanceClock", ["by": "PT30M"])
    let open = try launch(server)["conditionalLaunch"]?["challenges"]?.arrayValue?.first
    #expect(open?["kind"] == "enterPIN")
    _ = try server.call("conditionalLaunch.answer", ["challenge": open?["id"] ?? .null, "pin": "2580"])
    #expect(try server.call("conditionalLaunch.evaluate", ["account": .string(Self.user)])["verdict"] == "allow")
    _ = try server.call("debug.advanceClock", ["by": "PT29M"])
    #expect(try launch(server)["verdict"] == "allow")
    _ = try server.call("debug.advanceClock", ["by": "PT1M"])
    #expect(try launch(server)["verdict"] == "block")
  }

  /// What was done since the account was enrolled, and the verdict then.
  enum Step {
    case device(JSONObject)
    case later(JSONValue)
    /// Evaluates, and answers the open challenge.
    case answer(JSONObject)
    /// Writes tenant.json.
    case tenant(String)
    case verdict(JSONValue)
  }

  static let forecasts: [(String, [Step])] = [
    (
      #""minimumRequiredOsVersion": "17", "pinRequired": true"#,
      [
        .verdict("block"), .device(["osVersion": "16"]), .verdict("block"), .device(["osVersion": "17"]),
        .verdict("block"),
      ]
    ),
    (
      #""minimumWarningAppVersion": "2""#,
      [.device(["appVersion": "1"]), .verdict("warn"), .answer(["accepted": true]), .verdict("allow")]
    ),
    (
      #""minimumWarningAppVersion": "2""#,
      [.device(["appVersion": "1"]), .answer(["canceled": true]), .verdict("block")]
    ),
    (
      #""organizationalCredentialsRequired": true"#,
      [.verdict("block"), .answer(["accessToken": "t"]), .verdict("allow"), .verdict("allow")]
    ),
    (#""organizationalCredentialsRequired": true"#, [.answer(["canceled": true]), .verdict("block")]),
    (
      #""periodOfflineBeforeAccessCheck": "PT720M""#,
      [.device(["networkAvailable": false]), .later("PT720M"), .verdict("block")]
    ),
    (
      #""periodOfflineBeforeAccessCheck": "PT720M""#,
      [.tenant("{"), .later("PT721M"), .verdict("block"), .tenant(TenantFolder.tenant(mdm: "null")), .verdict("allow")]
    ),
    (#""pinRequired": true"#, [.verdict("block"), .answer(["pin": "2580"]), .verdict("allow"), .verdict("allow")]),
  ]

  @Test("The diagnostics report predicts the launch verdict without changing anything", arguments: forecasts)
  func forecast(_ policy: String, _ steps: [Step]) throws {
    let (server, tenant) = try Self.server(policy)
    let core = server.bridge.core
    let account: JSONValue = ["account": .string(Self.user)]
    for step in steps {
      switch step {
      case .device(let device): _ = try server.call("device.set", .object(device))
      case .later(let period): _ = try server.call("debug.advanceClock", ["by": period])
      case .tenant(let text): tenant.write(text, to: "tenant.json")
      case .answer(var answer):
        let open = try server.call("conditionalLaunch.evaluate", account)["challenges"]?.arrayValue?.first
        answer["challenge"] = try #require(open?["id"])
        _ = try server.call("conditionalLaunch.answer", .object(answer))
      case .verdict(let verdict):
        let reports = try (0..<2).map { _ in try core.diagnostics.report(version: "1", sdkVersion: "2").jsonValue }
        let evaluated = try server.call("conditionalLaunch.evaluate", account)
        let outcomes = evaluated["rules"]?.arrayValue?.map { [$0["setting"], $0["outcome"]] }
        for report in reports {
          #expect(report["launch"]?["verdict"] == verdict)
          #expect(evaluated["verdict"] == verdict)
          let rules = report["accounts"]?.arrayValue?.first?["launchRules"]?.arrayValue
          #expect(rules?.map { [$0["setting"], $0["outcome"]] } == outcomes)
        }
      }
    }
  }

  @Test("The diagnostics report predicts that the next check-in wipes the account")
  func forecastOfWipe() throws {
    let (server, tenant) = try Self.server(#""periodOfflineBeforeAccessCheck": "PT720M""#)
    tenant.write("{", to: "tenant.json")
    _ = try server.call("debug.advanceClock", ["by": "PT721M"])
    let operation = #"{"type": "wipe", "app": "*", "user": "\#(Self.user)", "requestedDateTime": "2026-05-29"}"#
    let text = TenantFolder.tenant(mdm: "null")
    tenant.write("{\"operations\": [\(operation)], " + text.dropFirst(), to: "tenant.json")
    let launch = try server.bridge.core.diagnostics.report(version: "1", sdkVersion: "2").launch
    #expect(launch.verdict == .wipe)
    #expect(launch.reasons.last?.text.contains("next check-in") == true)
    #expect(try server.call("conditionalLaunch.evaluate", ["account": .string(Self.user)])["verdict"] == "wipe")
  }

  @Test("The launch card of the diagnostics shows the verdict and how many accounts it affects")
  func card() throws {
    let (server, tenant) = try Self.server(
      #""minimumRequiredOsVersion": "17.0""#, flags: ["MultiManagedIdentities=true", "MultiIdentity=true"])
    defer { withExtendedLifetime(tenant) {} }
    func card() throws -> String {
      let sections = try server.bridge.core.diagnostics.report(version: "1", sdkVersion: "2").document.sections
      let facts = sections.flatMap(\.parts).flatMap(\.facts)
      return try #require(facts.first { $0.name == "Launch" }).value.text
    }
    #expect(try card() == "allow")
    try server.enroll("closed@fabrikam.example")
    #expect(try card() == "block until the user answers, 1 of 2 accounts")
    _ = try server.call("device.set", ["osVersion": "16.4"])
    #expect(try card() == "block, 2 of 2 accounts")
  }

  @Test("The diagnostics report has the worst launch verdict of all accounts and marks it as bad")
  func diagnostics() throws {
    let (server, tenant) = try Self.server(
      #""minimumRequiredOsVersion": "17.0""#, flags: ["MultiManagedIdentities=true", "MultiIdentity=true"])
    defer { withExtendedLifetime(tenant) {} }
    try server.enroll("closed@fabrikam.example")
    let core = server.bridge.core
    func report() throws -> (report: JSONValue, tags: [DiagnosticSection.Text]) {
      let report = try core.diagnostics.report(version: "1", sdkVersion: "2")
      return (report.jsonValue, report.document.sections.flatMap(\.parts).compactMap(\.tag))
    }
    // The other account waits for its PIN.
    #expect(try report().report["launch"]?["verdict"] == "block")
    _ = try server.call("pin.set", ["account": "closed@fabrikam.example", "pin": "2580"])
    #expect(try report().report["launch"] == ["verdict": "allow", "reasons": [], "conditionalLaunch": .null])

    _ = try server.call("device.set", ["osVersion": "16.4"])
    let (blocked, tags) = try report()
    #expect(blocked["launch"]?["verdict"] == "block")
    let reason = blocked["launch"]?["reasons"]?.arrayValue?.first
    #expect(reason?["setting"] == "minimumRequiredOsVersion")
    #expect(reason?["text"]?.stringValue?.hasPrefix("\(Self.user): osVersion 16.4") == true)
    let launches = tags.filter { $0.text == "launch: block" }
    #expect(!launches.isEmpty)
    #expect(launches.allSatisfy { $0.tone == .bad })
    #expect(try server.call("events.list", ["types": ["policyManager.launchReport"]])["events"] == [])
  }
}
