import Glibc
import JSON
import TestSupport
import Testing

@Suite struct TenantCommandTests {
  let folder = TemporaryFolder()

  init() {
    folder.write(
      """
      {"tenantId": "t", "users": [{"userPrincipalName": "alice@contoso.example", "groups": ["staff"]},
                                  {"userPrincipalName": "bob@contoso.example", "licensed": false}],
       "assignments": [{"policy": "policies/ios.json", "groups": ["staff"], "apps": ["com.example.mail"]}]}
      """, to: "tenant.json")
    folder.write(
      ##"{"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_1", "displayName": "Strict", "pinRequired": true}"##,
      to: "policies/ios.json")
  }

  private func check(_ options: String...) throws -> Subprocess.Outcome {
    try Program.run(["tenant", "check", folder.path] + options)
  }

  @Test("tenant check lists users with the same policies together, and exits with 0 without findings")
  func classes() throws {
    let outcome = try check()
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    #expect(
      outcome.output == """
        APP                  PLATFORM      POLICIES                       CONFIGURATIONS
        1 user: alice@contoso.example
        com.example.mail     ios           Strict                         -
        *                    ios           -                              -
        com.example.mail, *  android       -                              -
        1 user: bob@contoso.example
        com.example.mail, *  ios; android  none: the user has no license  -

        no findings

        """)
  }

  @Test("tenant check has no findings in the policy dump of a phone")
  func dump() throws {
    folder.write(
      """
      {"IntuneMAMPolicies": {"PINEnabled": "1", "PINNumRetry": 5, "AccessRecheckOnlineTimeout": "", "UsePPE": "0",
                             "ContainerName": "x", "MinSecurityPatchVersionWarn": "", "MaxSecurityPatchVersionWarn": "",
                             "IntuneMAMPolicyVersion": 7},
       "IntuneMAMPolicyVersion": 7}
      """, to: "policies/ios.json")
    let outcome = try check()
    #expect(outcome.status == 0)
    #expect(outcome.output.hasSuffix("no findings\n"), "\(outcome.output)")
  }

  @Test("tenant check lists classes of users by size, each with its count and up to three names")
  func sizes() throws {
    let users = (0..<1_234).map { index in
      #"{"userPrincipalName": "user\#(index)@contoso.example", "groups": ["\#(index < 4 ? "staff" : "others")"]}"#
    }
    folder.write(
      """
      {"tenantId": "t", "users": [\(users.joined(separator: ","))], "allowedAccounts": ["user3@contoso.example"],
       "assignments": [{"policy": "policies/ios.json", "groups": ["staff"], "apps": ["*"]}]}
      """, to: "tenant.json")
    let outcome = try check("--platform", "ios")
    #expect(outcome.status == 1)
    #expect(
      outcome.lines == [
        "userWithoutPolicy: tenant.json: users: user4@contoso.example, user5@contoso.example, user6@contoso.example "
          + "and 1,227 more get no policy in any app",
        "APP  PLATFORM  POLICIES  CONFIGURATIONS",
        "1,230 users whose accounts are not allowed: user4@contoso.example, user5@contoso.example, "
          + "user6@contoso.example and 1,227 more",
        "*    ios       -         -",
        "3 users whose accounts are not allowed: user0@contoso.example, user1@contoso.example, user2@contoso.example",
        "*    ios       Strict    -", "1 user: user3@contoso.example", "*    ios       Strict    -", "1 finding",
      ])
    let json = try JSONValue(parsing: check("--json").output)
    #expect(json["users"] == .null)
    #expect(json["userCount"] == 1_234)
    #expect(json["classCount"] == 3)
    #expect(json["classes"]?.arrayValue?.map { $0["count"] } == [1_230, 3, 1])
    let first = json["classes"]?.arrayValue?[1]
    #expect(first?["users"]?.arrayValue?.first == "user0@contoso.example")
    #expect(first?["allowed"] == false)
    let row = first?["rows"]?.arrayValue?.first
    #expect(row?["apps"] == ["*"])
    #expect(row?["policies"] == ["T_1"])
    #expect(row?["configurations"] == [])
    #expect(row?["devices"] == [["platform": "ios", "managementType": .null]])
    let all = try JSONValue(parsing: check("--json", "--all").output)
    #expect(all["users"]?.arrayValue?.count == 2 * 1_234)
    #expect(all["classes"]?.arrayValue?.count == 3)
  }

  @Test("tenant check shows the 100 largest classes of users, and every user with --all")
  func manyClasses() throws {
    let users = (0..<120).map { #"{"userPrincipalName": "user\#($0)@contoso.example", "groups": ["g\#($0)"]}"# }
    let apps = (0..<120).map { #"{"policy": "policies/ios.json", "groups": ["g\#($0)"], "apps": ["app\#($0)"]}"# }
    folder.write(
      #"{"users": [\#(users.joined(separator: ","))], "assignments": [\#(apps.joined(separator: ","))]}"#,
      to: "tenant.json")
    let outcome = try check("--platform", "ios")
    #expect(outcome.lines.filter { $0.hasPrefix("1 user: ") }.count == 100)
    #expect(outcome.lines.contains("20 smaller classes of users are not shown; --all shows every user"))
    let all = try check("--platform", "ios", "--all")
    #expect(all.lines.filter { $0.hasPrefix("user119@contoso.example ") }.count == 121)
  }

  @Test("tenant check --all shows the policies of each user in each app")
  func table() throws {
    let outcome = try check("--all")
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    let rows = outcome.lines.map { $0.split(separator: " ").map(String.init) }
    #expect(rows.first == ["USER", "APP", "PLATFORM", "POLICIES", "CONFIGURATIONS"])
    #expect(rows.contains(["alice@contoso.example", "com.example.mail", "ios", "Strict", "-"]))
    #expect(rows.contains(["alice@contoso.example", "*", "ios", "-", "-"]))
    #expect(
      rows.contains(["bob@contoso.example", "*", "android", "none:", "the", "user", "has", "no", "license", "-"]))
    #expect(rows.last == ["no", "findings"])
  }

  @Test("tenant check fits the terminal width and escapes control characters in names")
  func narrow() throws {
    folder.write(
      ##"{"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_1", "displayName": "Str\u001b[31mict", "pinRequired": true}"##,
      to: "policies/ios.json")
    let script = "export COLUMNS=40; exec \"$0\" \"$@\""
    let outcome = try Subprocess.run("/bin/sh", ["-c", script, Program.path, "tenant", "check", folder.path])
    #expect(outcome.lines.contains("  POLICIES: StrU+1B[31mict"))
    #expect(!outcome.output.contains("\u{1B}"))
    #expect(outcome.lines.allSatisfy { $0.count <= 40 })
  }

  @Test("tenant check selects rows by --user, --app and --platform")
  func options() throws {
    let outcome = try check("--user", "ALICE@contoso.example", "--app", "com.example.mail", "--platform", "ios")
    #expect(outcome.lines.count == 3 && outcome.lines[1].contains("Strict"))
  }

  @Test("tenant check prints each finding and exits with 1; --json adds its kind, policy and member")
  func findings() throws {
    folder.write(
      ##"{"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_1", "displayName": "Strict", "printBlocked": true, "pinRequred": true}"##,
      to: "policies/ios.json")
    let outcome = try check()
    #expect(outcome.status == 1)
    #expect(outcome.lines.first?.hasPrefix("unknownRestriction: policies/ios.json: pinRequred: is") == true)
    #expect(outcome.lines.last == "1 finding")
    let json = try check("--json", "--platform", "ios", "--user", "alice@contoso.example", "--app", "com.example.mail")
    let report = try JSONValue(parsing: json.output)
    #expect(json.status == 1)
    #expect(report["tenantId"] == "t")
    #expect(report["users"]?.arrayValue?.first?["policies"] == [["id": "T_1", "displayName": "Strict"]])
    let finding = report["findings"]?.arrayValue?.first
    #expect(finding?["kind"] == "unknownRestriction")
    #expect(finding?["policy"] == .null)
    #expect(finding?["member"] == "pinRequred")
  }

  @Test("tenant check prints the same findings for every --user if a policy is unreadable")
  func unreadable() throws {
    folder.write(
      ##"{"@odata.type": "#microsoft.graph.iosManagedAppProtection", "SaveAsBlocked": true}"##, to: "policies/ios.json")
    let all = try check()
    #expect(
      all.status == 1 && all.output.contains("unreadable: policies/ios.json: SaveAsBlocked: is not known; did you mean")
    )
    for user in ["alice@contoso.example", "nobody@contoso.example"] {
      let one = try check("--user", user)
      #expect(one.status == 1)
      #expect(one.output == all.output)
      #expect(one.errors == "")
    }
    let json = try JSONValue(parsing: check("--user", "alice@contoso.example", "--json").output)
    #expect(json["findings"]?.arrayValue?.first?["kind"] == "unreadable")
    #expect(json["users"] == [])
  }

  @Test("tenant check sample checks the built-in tenant like a folder")
  func sample() throws {
    let outcome = try Program.run(["tenant", "check", "sample", "--platform", "ios", "--all"])
    #expect(outcome.errors == "")
    let rows = outcome.lines.map { $0.split(separator: " ").map(String.init) }
    #expect(rows.contains { $0.starts(with: ["alice@contoso.example", "*", "ios", "Contoso"]) })
    #expect(outcome.status == (outcome.lines.last == "no findings" ? 0 : 1))
    let json = try JSONValue(parsing: Program.run(["tenant", "check", "sample", "--json"]).output)
    #expect(json["displayName"] == "Contoso")
    #expect(json["users"]?.arrayValue?.isEmpty == false)
  }

  @Test(
    "Every command exits with 78 and says what to do if --tenant cannot be used",
    arguments: [
      [], ["serve"], ["call", "versionInfo.sdkVersion"], ["explain", "policy.isPINRequired"], ["diagnostics"],
      ["files", "info", "/tmp"],
    ])
  func missing(command: [String]) throws {
    let state = ["--state", folder.file("state")]
    let names = [
      ("nosuch", "there is no tenant folder at"), ("sampl", "Did you mean \"sample\""), ("", "has an empty name"),
      (folder.write("{}", to: "file"), "is not a folder"),
      ("http://127.0.0.1:8080", "exec:mambridge-tenant source http://127.0.0.1:8080"),
      ("http://mam.contoso.example", "needs https. Use https://mam.contoso.example"),
      ("HTTPS://mam.contoso.example", "https://mam.contoso.example"), ("postgresql://mam@db/mam", "exec:COMMAND"),
    ]
    for (name, reason) in names {
      let outcome = try Program.run(command + ["--tenant", name] + state)
      #expect(outcome.status == 78, "\(command) \(outcome)")
      #expect(outcome.output == "", "\(command) \(outcome)")
      #expect(outcome.errors.contains(reason), "\(command) \(outcome)")
      #expect(outcome.errors.split(separator: "\n").count == 1)
    }
  }

  @Test("tenant check of an http or https address exits with 78 and suggests mambridge-tenant pull")
  func checkOfAddress() throws {
    for name in ["http://127.0.0.1:8080", "https://mam.contoso.example"] {
      let outcome = try Program.run(["tenant", "check", name])
      #expect(outcome.status == 78, "\(outcome)")
      #expect(outcome.errors.contains("`mambridge-tenant pull`"), "\(outcome)")
      #expect(outcome.errors.contains(name))
      #expect(outcome.errors.split(separator: "\n").count == 1)
    }
  }

  @Test("Enrollment returns status 204 if the tenant folder vanishes while the server runs")
  func vanished() throws {
    let program = Program()
    program.folder.write(#"{"users": [{"userPrincipalName": "alice@contoso.example"}]}"#, to: "tenant/tenant.json")
    let server = try Subprocess(
      Program.path, ["--state", program.state, "--tenant", program.folder.file("tenant")])
    #expect(try server.ask("versionInfo.sdkVersion")["result"] != nil)
    rename(program.folder.file("tenant"), program.folder.file("gone"))
    let enrolled = try server.ask(
      "enrollmentManager.registerAndEnrollAccount", ["account": "alice@contoso.example"])
    #expect(enrolled["result"]?["statusCode"] == 204)
  }

  @Test("tenant check exits with 78 for a missing folder and with 64 for an unknown user or platform")
  func errors() throws {
    let gone = try Program.run(["tenant", "check", folder.file("gone")])
    #expect(gone.status == 78)
    #expect(gone.errors.contains("there is no tenant folder"))
    let nobody = try check("--user", "eve@contoso.example")
    #expect(nobody.status == 64)
    #expect(nobody.errors.contains("has no user eve@contoso.example"))
    #expect(try check("--platform", "symbian").status == 64)
  }
}
