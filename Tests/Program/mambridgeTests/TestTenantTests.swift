import Glibc
import JSON
import TestSupport
import Testing

@Suite struct TestTenantTests {
  let folder = TemporaryFolder()

  init() {
    folder.write(
      """
      {"tenantId": "t", "users": [{"userPrincipalName": "alice@contoso.example", "groups": ["staff"]}],
       "assignments": [{"policy": "policies/ios.json", "groups": ["staff"], "apps": ["*"]}]}
      """, to: "tenant.json")
    folder.write(
      """
      {"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_1", "displayName": "Strict",
       "pinRequired": true, "minimumPinLength": 4, "saveAsBlocked": true, "periodOfflineBeforeWipeIsEnforced": "P90D",
       "allowedOutboundDataTransferDestinations": "managedApps"}
      """, to: "policies/ios.json")
  }

  private func run(_ text: String, _ options: String...) throws -> Subprocess.Outcome {
    folder.write(text, to: "tests/a.mamtest")
    return try Program.run(["tenant", "test", "--tenant", folder.path] + options)
  }

  @Test("A test passes if all its expectations are met, and each test has its own state and tenant")
  func passes() throws {
    let outcome = try run(
      """
      set MultiManagedIdentities=true
      as alice@contoso.example
      test "saving is blocked"
      policy.isSaveToAllowedForLocation location=dropbox -> false because saveAsBlocked
      tenant policy policies/ios.json saveAsBlocked:=false allowedOutboundDataTransferDestinations:="allApps"
      tenant.checkIn
      policy.isSaveToAllowedForLocation location=dropbox -> true
      test "the next test has the tenant as it is in the folder"
      policy.isSaveToAllowedForLocation location=dropbox -> false
      test "a PIN is set, and asked for at the next launch"
      launch -> challenge setPIN
      answer pin=2580
      launch -> allow
      test "users come and lose their license"
      tenant user bob@contoso.example groups:=["staff"]
      as bob@contoso.example on ios
      tenant user bob@contoso.example licensed:=false
      as bob@contoso.example -> accountNotLicensed
      test "after 91 days without a network, access is blocked" at 2026-01-31T09:30:00Z
      answer pin=2580
      launch -> allow
      network off
      clock +P91D
      launch -> block because periodOfflineBeforeWipeIsEnforced
      test "a user whom no policy is assigned to gets none"
      tenant user erin@contoso.example groups:=["others"]
      as erin@contoso.example in com.contoso.mail -> policyNotFound
      """)
    #expect(outcome.output.hasSuffix("6 passed, 0 failed, 0 could not run\n"), "\(outcome.output)\(outcome.errors)")
    #expect(outcome.status == 0)
  }

  @Test("tenant test uses every policy file that a check-in reads, and reports one it cannot read")
  func copies() throws {
    let policy = "test \"PIN\"\nas alice@contoso.example\npolicy.isPINRequired -> true"
    rename(folder.file("policies/ios.json"), folder.file("policies/ios.JSON"))
    folder.write(
      #"{"tenantId": "t", "users": [{"userPrincipalName": "alice@contoso.example"}]}"#, to: "tenant.json")
    let named = try run(policy)
    #expect(named.status == 0, "\(named)")
    symlink("nowhere.json", folder.file("policies/more.json"))
    let dangling = try run(policy)
    #expect(dangling.status == 2, "\(dangling)")
    #expect(dangling.output.contains("policies/more.json"), "\(dangling)")
    unlink(folder.file("policies/more.json"))
    mkfifo(folder.file("policies/more.json"), 0o600)
    let pipe = try run(policy)
    #expect(pipe.status == 2, "\(pipe)")
    #expect(pipe.output.contains("not a regular file"), "\(pipe)")
  }

  @Test("tenant test exits with 2 if a test makes a call after shutdown")
  func shutdown() throws {
    let outcome = try run("test \"over\"\nshutdown\npolicy.isPINRequired -> false")
    #expect(outcome.status == 2, "\(outcome)")
    #expect(outcome.output.contains("comes after shutdown"), "\(outcome)")
  }

  @Test("A device line in a test affects the launch and active lines after it")
  func devices() throws {
    folder.write(
      ##"{"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_1", "##
        + ##""appActionIfDeviceComplianceRequired": "block", "deviceComplianceRequired": true}"##,
      to: "policies/ios.json")
    let outcome = try run(
      """
      as alice@contoso.example
      test "jailbroken"
      device jailbroken=true
      launch -> block because deviceComplianceRequired
      active -> block because deviceComplianceRequired
      test "whole"
      launch -> allow
      test "questions"
      policyManager.policy account=nobody@contoso.example -> error policyRequired
      """)
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
  }

  @Test("tenant test explains a failure: expected and actual answer, the reason and what would change it")
  func fails() throws {
    let outcome = try run(
      """
      test "saving"
      as alice@contoso.example
      policy.isSaveToAllowedForLocation location=dropbox -> true
      """)
    #expect(outcome.status == 1)
    for text in [
      "a.mamtest:3:1", "expected: true", "got:      false", "Saving to Dropbox is blocked.",
      "If saveAsBlocked is false",
    ] {
      #expect(outcome.output.contains(text), "\(outcome.output)")
    }
  }

  @Test("In a test, because must list exactly the settings that decided")
  func because() throws {
    let outcome = try run(
      """
      test "saving"
      as alice@contoso.example
      policy.isSaveToAllowedForLocation location=dropbox -> false because saveAsBlocked pinRequired
      """)
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("expected: because pinRequired saveAsBlocked"), "\(outcome.output)")
    #expect(outcome.output.contains("got:      because saveAsBlocked"), "\(outcome.output)")
  }

  @Test("A test fails if a challenge has no answer")
  func unanswered() throws {
    let outcome = try run("test \"launch\"\nas alice@contoso.example\nlaunch -> block")
    #expect(outcome.status == 1, "\(outcome.output)")
    #expect(outcome.output.contains("challenge setPIN"), "\(outcome.output)")
  }

  @Test("A test fails if it has an answer that nothing asked for")
  func unused() throws {
    let outcome = try run("test \"launch\"\nas alice@contoso.example\nanswer cancel")
    #expect(outcome.status == 1, "\(outcome.output)")
    #expect(outcome.output.contains("nothing asked"), "\(outcome.output)")
  }

  @Test("tenant test exits with 2 if a file is malformed, and still runs the other files")
  func unreadable() throws {
    folder.write("test \"good\"\nas alice@contoso.example", to: "tests/b.mamtest")
    let outcome = try run("test \"bad\"\nlunch -> allow")
    #expect(outcome.status == 2)
    #expect(outcome.output.contains("a.mamtest:2:1"), "\(outcome.output)")
    #expect(outcome.output.hasSuffix("1 passed, 0 failed, 1 could not run\n"), "\(outcome.output)")
  }

  @Test(
    "tenant test escapes test names in the formats tap, junit, sarif and github",
    arguments: [
      ("tap", "not ok 1 - a \\# <b>, %: c"), ("junit", "name=\"a # &lt;b&gt;, %: c\""),
      ("sarif", "\"startLine\":2"), ("github", "title=a # <b>%2C %25%3A c::"),
    ])
  func formats(_ format: String, _ part: String) throws {
    let outcome = try run("test \"a # <b>, %: c\"\nversionInfo.sdkVersion -> 1", "--format", format)
    #expect(outcome.status == 1, "\(outcome.output)")
    #expect(outcome.output.contains(part), "\(outcome.output)")
  }

  @Test("tenant test --filter runs the tests with a text in their names, and exits with 2 without one")
  func filter() throws {
    let text = "test \"one\"\nversionInfo.sdkVersion -> 1\ntest \"two\"\nversionInfo.sdkVersion"
    let chosen = try run(text, "--filter", "tw")
    #expect(chosen.status == 0)
    #expect(chosen.lines.last == "1 passed, 0 failed, 0 could not run")
    let none = try run(text, "--filter", "three")
    #expect(none.status == 2)
    #expect(none.errors.contains("no test has \"three\" in its name"))
  }

  @Test("tenant check reports the .mamtest files that tenant test does not run, and no others")
  func check() throws {
    folder.write("test \"one\"", to: "tests/a.mamtest")
    folder.write("test \"two\"", to: "b.mamtest")
    let outcome = try Program.run(["tenant", "check", folder.path])
    #expect(!outcome.output.contains("mamtest"), "\(outcome.output)")
    for file in ["policies/c.mamtest", "tests/more/d.mamtest"] {
      folder.write("test \"three\"", to: file)
      let found = try Program.run(["tenant", "check", folder.path])
      #expect(found.output.contains("fileNotRead: \(file): is not run"), "\(found.output)")
    }
  }
}
