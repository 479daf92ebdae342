import Glibc
import JSON
import TestSupport
import Testing

/// What tests prove of a tenant's settings, and tests that are written from its answers.
@Suite(.ownThreads) struct TestTenantCoverageTests {
  let folder = TemporaryFolder()

  init() {
    folder.write(
      """
      {"tenantId": "t", "users": [{"userPrincipalName": "alice@contoso.example", "groups": ["staff"]},
                                  {"userPrincipalName": "bob@contoso.example", "groups": ["guests"]},
                                  {"userPrincipalName": "zoe@contoso.example", "licensed": false}],
       "assignments": [{"policy": "policies/ios.json", "groups": ["staff"], "apps": ["*"]},
                       {"policy": "policies/guests.json", "groups": ["guests"], "apps": ["com.contoso.mail"]}]}
      """, to: "tenant.json")
    folder.write(
      """
      {"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_1", "displayName": "Strict",
       "pinRequired": true,
       "minimumPinLength": 6,
       "saveAsBlocked": true,
       "printBlocked": false,
       "minimumRequiredOsVersion": "15.0",
       "periodOfflineBeforeWipeIsEnforced": "P2D",
       "managedBrowser": "microsoftEdge",
       "allowedOutboundDataTransferDestinations": "managedApps"}
      """, to: "policies/ios.json")
    folder.write(
      """
      [{"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_2", "displayName": "Guests",
        "printBlocked": true}]
      """, to: "policies/guests.json")
  }

  private let covering = """
    as alice@contoso.example
    test "saving"
    policy.isSaveToAllowedForLocation location=dropbox -> false because saveAsBlocked
    policy.isPINRequired -> true
    test "old system"
    device osVersion=16.0
    answer pin=258025
    launch -> allow
    device osVersion=14.0
    launch -> block because minimumRequiredOsVersion
    test "offline"
    answer pin=258025
    launch -> allow
    network off
    clock +P3D
    launch -> block
    """

  private func run(_ text: String, _ options: String...) throws -> Subprocess.Outcome {
    folder.write(text, to: "tests/a.mamtest")
    return try Program.run(["tenant", "test", "--tenant", folder.path] + options)
  }

  @Test("tenant test --coverage lists the settings that can change without a test failing")
  func coverage() throws {
    let outcome = try run(covering, "--coverage")
    #expect(outcome.status == 0, "\(outcome)")
    let gaps = outcome.lines.filter { $0.contains(".json") }
    let place = folder.path + "/policies/"
    #expect(gaps.contains { $0.hasPrefix("\(place)ios.json:5: printBlocked: no test fails if it is true") }, "\(gaps)")
    #expect(
      gaps.contains {
        $0 == "\(place)guests.json:2: printBlocked: "
          + "no test that passes enrolls a user who gets the policy \"Guests\""
      }, "\(gaps)")
    for covered in ["pinRequired", "saveAsBlocked", "minimumRequiredOsVersion", "periodOfflineBeforeWipeIsEnforced"] {
      #expect(!gaps.contains { $0.contains(" \(covered): ") }, "\(gaps)")
    }
    #expect(outcome.lines.last?.contains("1 that decide nothing are not counted") == true, "\(outcome)")
  }

  @Test("tenant test --coverage ignores failed tests, and exits with 1 if a test failed")
  func failing() throws {
    let outcome = try run("test \"x\"\nas alice@contoso.example\npolicy.isPINRequired -> false", "--coverage")
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("pinRequired: no test that passes enrolls"), "\(outcome)")
    #expect(outcome.lines.last?.contains("1 tests that did not pass were not used") == true, "\(outcome)")
  }

  @Test(
    "tenant test --coverage works with the formats tap, junit, sarif and github",
    arguments: [
      ("tap", "# coverage: a test notices"), ("junit", "<system-out>"), ("sarif", "\"ruleId\": \"coverage\""),
      ("github", "::notice file="),
    ])
  func formats(_ format: String, _ part: String) throws {
    let text = "test \"x\"\nas alice@contoso.example\npolicy.isPINRequired -> true"
    let outcome = try run(text, "--coverage", "--format", format)
    let compact = outcome.output.contains(part) || outcome.output.contains(part.filter { $0 != " " })
    #expect(outcome.status == 0, "\(outcome)")
    #expect(compact, "\(outcome)")
  }

  @Test("tenant test --coverage covers settings in a device's IntuneMAMPolicies and in a Graph export")
  func forms() throws {
    folder.write(
      #"{"IntuneMAMPolicies": {"PINEnabled": 1, "PrintingBlocked": 1}, "IntuneMAMPolicyVersion": "1"}"#,
      to: "policies/ios.json")
    folder.write(
      """
      {"value": [{"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_2", "displayName": "Guests",
        "printBlocked": true}]}
      """, to: "policies/guests.json")
    let outcome = try run(
      """
      test "staff"
      as alice@contoso.example
      policy.isPINRequired -> true
      test "guests"
      as bob@contoso.example in com.contoso.mail
      enforcement.isActionAllowed action=print -> false
      """, "--coverage")
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.output.contains("ios.json:1: printBlocked: no test fails if it is false"), "\(outcome)")
    #expect(outcome.lines.last?.hasPrefix("coverage: a test notices a change of 2 of 3 settings") == true, "\(outcome)")
  }

  @Test("tenant test --record writes tests that fail until the word unreviewed is removed from them")
  func record() throws {
    mkdir(folder.file("tests"), 0o700)
    let file = folder.file("tests/today.mamtest")
    let tenant = ["tenant", "test", "--tenant", folder.path]
    let recorded = try Program.run(tenant + ["--record", file])
    #expect(recorded.status == 0, "\(recorded)")
    let text = try #require(String(bytes: readFile(file) ?? [], encoding: .utf8))
    for part in [
      "as alice@contoso.example in com.contoso.mail on ios\n", "-> accountNotLicensed\n",
      "policy.isSaveToAllowedForLocation location=dropbox -> false because saveAsBlocked",
      "launch -> challenge setPIN\n", "enforcement.isActionAllowed action=print -> false because printBlocked\n",
    ] {
      #expect(text.contains(part), "\(text)")
    }
    let marked = try Program.run(tenant)
    #expect(marked.status == 1, "\(marked)")
    #expect(marked.output.contains("nobody has reviewed"), "\(marked)")
    #expect(marked.output.contains("today.mamtest:5:1"), "\(marked)")
    let allowed = try Program.run(tenant + ["--allow-unreviewed"])
    #expect(allowed.status == 0, "\(allowed)")
    folder.write(text.split(separator: "\n").filter { $0 != "unreviewed" }.joined(separator: "\n"), to: "b.mamtest")
    let reviewed = try Program.run(["tenant", "test", folder.file("b.mamtest")])
    #expect(reviewed.status == 0, "\(reviewed)")
  }

  @Test("tenant test --record replaces no file and creates no folder")
  func noReplacement() throws {
    let file = folder.write("mine", to: "today.mamtest")
    let taken = try Program.run(["tenant", "test", "--tenant", folder.path, "--record", file])
    #expect(taken.status == 1, "\(taken)")
    #expect(taken.errors.contains("nothing is replaced"), "\(taken)")
    #expect(String(bytes: readFile(file) ?? [], encoding: .utf8) == "mine")
    let missing = try Program.run([
      "tenant", "test", "--record", folder.file("none/today.mamtest"), "--tenant", "sample",
    ])
    #expect(missing.status == 1, "\(missing)")
    #expect(missing.errors.contains("Create its folder first"), "\(missing)")
  }

  @Test("tenant test can record the sample tenant, and tests can change it")
  func sample() throws {
    let file = folder.file("sample.mamtest")
    let recorded = try Program.run(["tenant", "test", "--tenant", "sample", "--record", file])
    #expect(recorded.status == 0, "\(recorded)")
    folder.write(
      """
      test "a license is lost"
      as alice@contoso.example
      tenant user alice@contoso.example licensed:=false
      as alice@contoso.example -> accountNotLicensed
      test "saving is allowed"
      tenant policy policies/ios.json saveAsBlocked:=false allowedOutboundDataTransferDestinations:="allApps"
      as alice@contoso.example
      policy.isSaveToAllowedForLocation location=dropbox -> true
      """, to: "changes.mamtest")
    let arguments = [folder.file("changes.mamtest"), file, "--tenant", "sample", "--allow-unreviewed"]
    let outcome = try Program.run(["tenant", "test"] + arguments)
    #expect(outcome.status == 0, "\(outcome)")
  }

  @Test(
    "tenant test fails if a challenge has no answer, and suggests the line that answers it",
    arguments: ["launch -> allow", "launch -> block", "active -> allow"])
  func unanswered(line: String) throws {
    let outcome = try run("test \"launch\"\nas alice@contoso.example\n\(line)")
    #expect(outcome.status == 1, "\(outcome)")
    #expect(outcome.output.contains("write the line \"answer pin="), "\(outcome)")
  }
}
