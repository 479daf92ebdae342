import JSON
import TestSupport
import Testing

@testable import Bridge

@Suite(.ownThreads, .timeLimit(.minutes(5))) struct LaunchTests {
  private static let managed = #"{"user": "listed@fabrikam.example", "appConfig": {}}"#

  private func launch(_ host: TestHost) throws -> JSONValue {
    try #require(host.call("initialize")["launch"])
  }

  private func reports(_ host: TestHost) throws -> [JSONValue] {
    try host.call("events.list", ["types": ["policyManager.launchReport"]])["events"]?.arrayValue ?? []
  }

  static let verdicts: [([String], JSONValue, [JSONValue])] = [
    ([], "allow", []), (["MAMPolicyWarnAbsent"], "warn", ["MAMPolicyWarnAbsent"]),
    (["MAMPolicyRequired"], "block", ["MAMPolicyRequired"]),
    (["MAMPolicyRequired", "MAMPolicyWarnAbsent"], "block", ["MAMPolicyWarnAbsent", "MAMPolicyRequired"]),
    (["AutoEnrollOnLaunch"], "allow", ["AutoEnrollOnLaunch"]),
    (["AutoEnrollOnLaunch", "MAMPolicyRequired"], "block", ["AutoEnrollOnLaunch", "MAMPolicyRequired"]),
  ]

  @Test("Without a policy, settings decide the launch verdict; warn and block are also events", arguments: verdicts)
  func verdict(_ flags: [String], _ verdict: JSONValue, _ settings: [JSONValue]) throws {
    let host = try TestHost(flags: flags.map { $0 + "=true" })
    let report = try launch(host)
    #expect(report["verdict"] == verdict)
    #expect(report["reasons"]?.arrayValue?.map { $0["setting"] } == settings)
    let events = try reports(host)
    #expect(events.count == (verdict == "allow" ? 0 : 1))
    for event in events {
      #expect(event["params"]?["verdict"] == verdict)
      #expect(event["params"]?["reasons"] == report["reasons"])
    }
  }

  @Test("MAMPolicyRequired and MAMPolicyWarnAbsent do not affect the launch of an account with a policy")
  func policy() throws {
    let flags = ["MAMPolicyRequired=true", "MAMPolicyWarnAbsent=true", "AutoEnrollOnLaunch=true"]
    let folder = TemporaryFolder()
    try TestHost(flags: flags, folder: folder).enroll()
    let host = try TestHost(flags: flags, folder: folder)
    let report = try launch(host)
    #expect(report["verdict"] == "block")
    #expect(report["reasons"]?.arrayValue?.map { $0["setting"] } == ["pinRequired"])
    #expect(try reports(host).count == 1)
  }

  @Test("With AutoEnrollOnLaunch, initialize enrolls the device's user before it replies, and only once")
  func enrolls() throws {
    let flags = ["AutoEnrollOnLaunch=true", "MAMPolicyRequired=true"]
    let host = try TestHost(tenantFolder: TenantFolder(mdm: Self.managed), flags: flags)
    let report = try launch(host)
    #expect(report["verdict"] == "allow")
    #expect(report["reasons"]?.arrayValue?.map { $0["setting"] } == ["AutoEnrollOnLaunch"])
    #expect(try host.call("enrollmentManager.enrolledAccount")["identity"] == "listed@fabrikam.example")
    #expect(try host.call("policy.isContactSyncAllowed") == false)
    let types = try host.call("events.list").objectValue?["events"]?.eventTypes
    #expect(types == [EventTypes.enrollment, EventTypes.policy, EventTypes.appConfig, "policyManager.launchReport"])

    let second = EventHost(host.bridge)
    #expect(try second.call("initialize")["launch"]?["reasons"] == [])
    #expect(try reports(host).count == 1)
  }

  @Test("With AutoEnrollOnLaunch, each launch retries a failed enrollment, and the report says why it failed")
  func failure() throws {
    let tenant = TenantFolder(mdm: #"{"user": "nobody@fabrikam.example", "appConfig": {}}"#)
    let host = try TestHost(tenantFolder: tenant, flags: ["AutoEnrollOnLaunch=true", "MAMPolicyRequired=true"])
    let report = try launch(host)
    #expect(report["verdict"] == "block")
    #expect(report["reasons"]?.arrayValue?.first?["text"]?.stringValue?.contains("tenant.json") == true)
    tenant.write(TenantFolder.tenant(mdm: Self.managed), to: "tenant.json")
    #expect(try EventHost(host.bridge).call("initialize")["launch"]?["verdict"] == "allow")
    #expect(try reports(host).map { $0["params"]?["verdict"] } == ["block", "allow"])
  }

  @Test("A host that asks initialize for policyManager.launchReport gets the event of its own launch")
  func pushed() throws {
    let host = EventHost(try TestHost(flags: ["MAMPolicyWarnAbsent=true"]).bridge)
    _ = try host.call("initialize", ["events": ["policyManager.launchReport"]])
    let event = try host.nextPush()
    #expect(event["type"] == "policyManager.launchReport")
    #expect(event["params"]?["verdict"] == "warn")
  }

  /// Those that must be refused while a policy is required and none is there. A file can always be closed, and what is
  /// not available never is.
  static let guarded = RequestCase.all.filter { method in
    guard method.method.name != "file.close", !method.method.errors.contains(.notAvailable) else { return false }
    let namespaces = ["policy", "enforcement", "dataProtectionManager", "fileProtectionManager", "file"]
    return namespaces.contains(String(method.method.name.prefix { $0 != "." }))
      || method.method.name == "policyManager.policy"
  }

  @Test("With MAMPolicyRequired, policy and data methods fail with 4001 until a policy is there", arguments: guarded)
  func blocked(_ method: RequestCase) throws {
    let host = try TestHost(flags: ["MAMPolicyRequired=true"])
    #expect(try launch(host)["verdict"] == "block")
    let error = try host.error(method.method.name, method.exampleParams)
    #expect(error["code"] == 4001)
    #expect(error["data"]?["name"] == "policyRequired")
    try host.enroll()
    #expect(try host.reply(method.method.name, method.exampleParams)["error"]?["code"] != 4001)
  }
}
