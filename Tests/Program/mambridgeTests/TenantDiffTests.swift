import JSON
import TestSupport
import Testing

@Suite struct TenantDiffTests {
  let folder = TemporaryFolder()

  init() {
    write("old", ##""printBlocked": false, "saveAsBlocked": true"##)
    write("new", ##""saveAsBlocked": true,\##n"printBlocked": true"##)
  }

  private func write(_ version: String, _ settings: String, name: String = "Sales", members: String = "") {
    folder.write(
      """
      {"tenantId": "t", "users": [{"id": "11111111-1111-1111-1111-111111111111",
                                   "userPrincipalName": "alice@contoso.example"}]\(members)}
      """, to: "\(version)/tenant.json")
    folder.write(
      """
      {"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_1", "displayName": "\(name)",
      \(settings)}
      """, to: "\(version)/policies/sales.json")
  }

  private func diff(_ options: String...) throws -> Subprocess.Outcome {
    try Program.run(["tenant", "diff", folder.file("old"), folder.file("new")] + options)
  }

  @Test("tenant diff exits with 1 and lists each changed decision with its effect and cause")
  func text() throws {
    let outcome = try diff()
    #expect(outcome.status == 1)
    #expect(outcome.errors == "")
    #expect(outcome.lines.first?.hasPrefix("EFFECT   DECISION") == true)
    #expect(outcome.lines.contains { $0.hasPrefix("1 user, com.microsoft.*, * on ios: Sales") })
    let row = outcome.lines.first { $0.hasPrefix("tighter") }?.split(separator: " ").map(String.init)
    #expect(
      row == [
        "tighter", "the", "action", "print", "allowed", "->", "blocked", "printBlocked", "false", "->", "true,",
        "policies/sales.json:3",
      ])
    #expect(outcome.lines.last?.hasPrefix("1 tighter; asked ") == true)
  }

  @Test("tenant diff exits with 0 if no decision differs, and says what it compared")
  func equal() throws {
    write("new", ##""version": "7", "saveAsBlocked": true, "printBlocked": false"##)
    let outcome = try diff()
    #expect(outcome.status == 0)
    #expect(outcome.output == "nothing differs: 1 user in 6 places get the same\n")
    write("new", ##""saveAsBlocked": true, "printBlocked": false, "minimumPinLength": 9"##)
    let asked = try diff()
    #expect(asked.status == 0)
    #expect(asked.output.hasPrefix("nothing differs: asked "))
  }

  @Test(
    "tenant diff --fail-on exits with 1 only for its effects", arguments: [("looser,destroys", 0), ("tighter", 1)])
  func failOn(effects: String, status: Int) throws {
    let outcome = try diff("--fail-on", effects)
    #expect(outcome.status == status)
    #expect(outcome.output.contains("printBlocked"))
    let wrong = try diff("--fail-on", "worse")
    #expect(wrong.status == 64)
  }

  @Test("tenant diff exits with 2 and says why if it cannot compare the two versions")
  func faults() throws {
    let missing = try Program.run(["tenant", "diff", folder.file("old"), folder.file("none")])
    #expect(missing.status == 2)
    #expect(missing.errors.contains("there is no tenant folder at"))
    folder.write("{", to: "new/policies/sales.json")
    let damaged = try diff()
    #expect(damaged.status == 2)
    #expect(damaged.errors.contains("policies/sales.json"))
    let other = try Program.run(["tenant", "diff", folder.file("old"), "sample"])
    #expect(other.status == 2)
    #expect(other.errors.contains("compare two versions of one tenant"))
  }

  @Test("tenant diff counts users, and names them only with --names")
  func names() throws {
    let counted = try diff()
    let named = try diff("--names")
    #expect(!counted.output.contains("alice"))
    #expect(named.output.contains("1 user (alice@contoso.example)"))
    let json = try JSONValue(parsing: diff("--json", "--names").output)
    #expect(json["groups"]?.arrayValue?.first?["users"] == ["alice@contoso.example"])
    let unnamed = try JSONValue(parsing: diff("--json").output)
    #expect(unnamed["groups"]?.arrayValue?.first?["users"] == .null)
    #expect(unnamed["equal"] == false)
    let cause = json["groups"]?.arrayValue?.first?["differences"]?.arrayValue?.first?["causes"]?.arrayValue?.first
    #expect(cause?["member"] == "printBlocked")
    #expect(cause?["line"] == 3)
    #expect(cause?["file"] == "policies/sales.json")
  }

  @Test("tenant diff escapes names in Markdown and in workflow logs")
  func escaping() throws {
    write("new", ##""saveAsBlocked": true, "printBlocked": true"##, name: "::error::|<b> @team ##[add-mask]x")
    let markdown = try diff("--markdown").output
    #expect(markdown.contains("| Effect | Decision | Change | Cause |"))
    #expect(markdown.contains(##":%3Aerror:%3A\|&lt;b&gt; &#64;team \#\#%5Badd-mask\]x"##))
    let text = try diff().output
    #expect(!text.contains("::"))
    #expect(!text.contains("##["))
  }

  @Test("tenant diff shows the values of an app configuration only with --values")
  func values() throws {
    for (version, value) in [("old", "secret-a"), ("new", "secret-b")] {
      write(version, ##""saveAsBlocked": true"##)
      folder.write(
        ##"{"@odata.type": "#microsoft.graph.targetedManagedAppConfiguration", "id": "A_1","##
          + ##" "customSettings": [{"name": "key", "value": "\##(value)"}]}"##, to: "\(version)/configurations/a.json")
    }
    for options in [[], ["--json"], ["--markdown"]] {
      let hidden = try Program.run(["tenant", "diff", folder.file("old"), folder.file("new")] + options)
      #expect(hidden.status == 1)
      #expect(hidden.output.contains("key"))
      #expect(!hidden.output.contains("secret"))
      let shown = try Program.run(["tenant", "diff", folder.file("old"), folder.file("new"), "--values"] + options)
      #expect(shown.output.contains("secret"))
      #expect(shown.output.contains("-b"))
    }
  }

  @Test(
    "tenant diff and tenant check exit with 64 and name an option whose value is empty or invalid",
    arguments: [
      ("--app", "", "--app is empty. Name an app"), ("--user", "", "--user is empty. Name a user"),
      ("--app", "*", "--app * names nothing"), ("--user", "a b", "--user a b names nothing"),
      ("--app", "com.a,com.b", "--app com.a,com.b names nothing"),
    ])
  func impossibleValues(option: String, value: String, message: String) throws {
    for words in [["tenant", "diff", "sample", "sample"], ["tenant", "check", "sample"]] {
      let outcome = try Program.run(words + [option, value])
      #expect(outcome.status == 64, "\(outcome)")
      #expect(outcome.output == "", "\(outcome)")
      #expect(outcome.errors.contains(message), "\(outcome)")
    }
  }

  @Test("tenant diff --fail-on exits with 64 for an empty or unknown effect", arguments: ["", "looser,", ",", "worse"])
  func impossibleEffects(value: String) throws {
    let outcome = try diff("--fail-on", value)
    #expect(outcome.status == 64, "\(outcome)")
    #expect(outcome.errors.contains("--fail-on"), "\(outcome)")
    #expect(outcome.errors.contains("destroys"))
  }

  @Test("The headings of tenant diff name the groups to which the policies are assigned")
  func headings() throws {
    let groups =
      #", "assignments": [{"policy": "policies/sales.json", "groups": ["Sales"], "apps": ["com.contoso.mail"]}]"#
    for (version, printing) in [("old", "false"), ("new", "true")] {
      write(version, "\"printBlocked\": \(printing)")
      folder.write(
        #"{"tenantId": "t", "users": [{"userPrincipalName": "alice@contoso.example", "groups": ["sales", "x"]}]"#
          + groups + "}", to: "\(version)/tenant.json")
    }
    let text = try diff()
    #expect(text.lines.contains { $0.hasPrefix("Sales (1 user), com.contoso.mail on ios: Sales") }, "\(text)")
    let named = try diff("--names", "--markdown")
    #expect(named.output.contains(#"Sales \(1 user: alice&#64;contoso.example\), com.contoso.mail"#), "\(named)")
    let json = try JSONValue(parsing: diff("--json").output)
    #expect(json["groups"]?.arrayValue?.first?["assignedGroups"] == ["Sales"])
  }
}
