import JSON
import TestSupport
import Testing

@Suite(.ownThreads) struct PolicyQuestionTests {
  /// What a permissive answer is, and what the sample policy and the closed one say.
  private static let questions: [(String, unmanaged: JSONValue, sample: JSONValue, closed: JSONValue)] = [
    ("policy.isPINRequired", false, true, true),
    ("policy.isManagedBrowserRequired", false, true, false),
    ("policy.isContactSyncAllowed", true, true, true),
    ("policy.isWidgetContentSyncAllowed", true, true, true),
    ("policy.isSpotlightIndexingAllowed", true, false, false),
    ("policy.areSiriIntentsAllowed", true, false, false),
    ("policy.areAppIntentsAllowed", true, false, false),
    ("policy.isAppSharingAllowed", true, true, false),
    ("policy.shouldFileProviderEncryptFiles", false, true, false),
    ("policy.isFileEncryptionRequired", false, true, false),
    ("policy.notificationPolicy", "allow", "blockOrgData", "block"),
    ("policy.isScreenCaptureAllowed", true, false, false),
  ]

  @Test("Policy questions about alice get the sample policy's answers by name, by id and by default")
  func sample() throws {
    let host = try TestHost()
    try host.enroll()
    for question in Self.questions {
      for account in ["alice@contoso.example", "87d349ed-44d7-43e1-9a83-5f2406dee5bd", .null] as [JSONValue] {
        #expect(try host.call(question.0, [account]) == question.sample, "\(question.0)")
      }
    }
  }

  @Test("Policy questions about an unknown, empty or merely registered account get permissive answers")
  func unmanaged() throws {
    let host = try TestHost()
    try host.enroll()
    try host.enroll("bob@contoso.example")
    for question in Self.questions {
      for account in ["", "bob@contoso.example", "nobody@elsewhere.example"] as [JSONValue] {
        #expect(try host.call(question.0, ["account": account]) == question.unmanaged, "\(question.0)")
      }
    }
  }

  @Test("A policy that allows no data transfer also blocks Siri, Spotlight, sharing and screen capture")
  func closed() throws {
    let host = try TestHost(tenantFolder: TenantFolder())
    try host.enroll("closed@fabrikam.example")
    for question in Self.questions {
      #expect(try host.call(question.0) == question.closed, "\(question.0)")
    }
  }

  @Test("If the policy blocks contact sync, contacts go neither to the address book nor to widgets")
  func contacts() throws {
    let host = try TestHost(tenantFolder: TenantFolder())
    try host.enroll("listed@fabrikam.example")
    #expect(try host.call("policy.isContactSyncAllowed") == false)
    #expect(try host.call("policy.isWidgetContentSyncAllowed") == false)
  }

  @Test("With MultiIdentity, policy questions without an account get permissive answers at first")
  func multiIdentity() throws {
    let host = try TestHost(flags: ["MultiIdentity=true"])
    try host.enroll()
    #expect(try host.call("policy.isPINRequired") == false)
    #expect(try host.call("policy.isPINRequired", ["account": "alice@contoso.example"]) == true)
  }

  @Test("With MAMPolicyRequired, policy questions fail with 4001 until an account has a policy")
  func policyRequired() throws {
    let host = try TestHost(flags: ["MAMPolicyRequired=true"])
    let calls: [(String, JSONValue?)] =
      Self.questions.map { ($0.0, nil) } + [
        ("policyManager.policy", nil), ("policy.getSaveToLocations", nil), ("policy.getOpenFromLocations", nil),
        ("policy.isSaveToAllowedForLocation", ["other"]), ("policy.isOpenFromAllowedForLocation", ["other"]),
        ("dataProtectionManager.protectString", ["text", "alice@contoso.example"]),
        ("dataProtectionManager.unprotectString", ["text"]),
      ]
    for (method, params) in calls {
      let error = try host.error(method, params)
      #expect(error["code"] == 4001, "\(method)")
      #expect(error["data"]?["name"] == "policyRequired")
      #expect(error["data"]?["retryable"] == false)
      #expect(error["data"]?["hint"]?.stringValue?.contains("registerAndEnrollAccount") == true)
    }
    #expect(try host.call("policyManager.isManagementEnabled") == true)
    try host.enroll()
    #expect(try host.call("policy.isPINRequired") == true)
  }
}
