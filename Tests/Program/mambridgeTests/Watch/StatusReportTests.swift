import JSON
import TestSupport
import Testing

@testable import mambridge

/// The screen of `status`, from what a server reports.
@Suite struct StatusReportTests {
  private static let alice: JSONValue = [
    "accountId": "87d349ed", "identity": "alice@contoso.example", "life": "enrolled", "verdict": "block",
    "checkedInAt": "2026-01-31T09:29:00.000Z", "contactedAt": "2026-01-31T09:25:00.000Z",
    "nextCheckInAt": "2026-01-31T09:55:00.000Z",
    "lastStatus": ["didSucceed": true, "statusCode": 100, "status": "newPoliciesReceived", "errorString": nil],
  ]
  private static let dave: JSONValue = [
    "accountId": "da7e", "identity": nil, "life": "blocked", "verdict": nil, "checkedInAt": nil,
    "nextCheckInAt": "1970-01-01T00:00:00.000Z",
    "lastStatus": [
      "didSucceed": false, "statusCode": 203, "status": "authRequired", "errorString": "The account is disabled.",
    ],
  ]

  private static func information(_ accounts: [JSONValue], source: String = "sample") -> JSONValue {
    [
      "appId": "com.example.host", "platform": "ios", "time": "2026-01-31T09:30:00.000Z", "isRestartPending": true,
      "source": .string(source), "sourceError": source == "none" ? "There is no source." : nil,
      "accounts": .array(accounts),
      "launch": ["verdict": "block", "reasons": [["text": "alice@contoso.example: The user has no PIN yet."]]],
    ]
  }

  private static func text(
    _ information: JSONValue, of place: String = "/state", width: Int = 1000, isColored: Bool = false
  ) -> String {
    StatusReport(information, of: place).text(on: Terminal(width: width, isColored: isColored))
  }

  @Test("status shows facts, a table of the accounts, and the reason for anything unusual")
  func screen() {
    #expect(
      Self.text(Self.information([Self.alice, Self.dave]), width: 80) == """
        App       com.example.host on ios
        State     /state
        Policies  from the sample tenant
        Launch    block
        Restart   pending

        ACCOUNT                STATE     VERDICT  ANSWERED       NEXT CHECK-IN
        alice@contoso.example  enrolled  block    5 minutes ago  in 25 minutes
        da7e                   blocked   -        -              due

        alice@contoso.example: The user has no PIN yet.
        da7e: authRequired (203). The account is disabled.

        """)
  }

  @Test("status shows asks as the verdict of an account that waits for its user", arguments: ["block", "warn"])
  func asks(verdict: String) {
    var alice = Self.alice.objectValue ?? [:]
    (alice["verdict"], alice["asks"]) = (.string(verdict), true)
    var information = Self.information([.object(alice)]).objectValue ?? [:]
    information["asks"] = true
    let text = Self.text(.object(information))
    #expect(text.contains("Launch    asks\n"))
    #expect(text.contains("enrolled  asks     5 minutes ago"))
    information["asks"] = false
    #expect(Self.text(.object(information)).contains("Launch    block\n"))
  }

  @Test("status shows the device tag")
  func deviceTag() {
    var information = Self.information([]).objectValue ?? [:]
    information["deviceTag"] = "5c1c2cf5-3c4b-4bb5-9b0a-ec05a7d1a6a8"
    #expect(Self.text(.object(information)).contains("Device    tag 5c1c2cf5-3c4b-4bb5-9b0a-ec05a7d1a6a8\n"))
  }

  @Test("status shows the time, account ID, cause and number of files of the last wipe")
  func wipe() {
    var information = Self.information([]).objectValue ?? [:]
    var wipe: JSONObject = [
      "accountId": "87d349ed", "begunAt": "2026-01-31T08:30:00.000Z", "endedAt": "2026-01-31T08:30:00.000Z",
      "cause": "conditionalLaunch", "text": "the policy requires the wipe: minimumWipeOsVersion: too old.",
      "files": 12, "isRemovedByHost": false,
    ]
    information["lastWipe"] = .object(wipe)
    #expect(
      Self.text(.object(information)).contains(
        """
        Last wipe  1 hour ago: account 87d349ed; the policy requires the wipe: minimumWipeOsVersion: too old; \
        12 files were removed

        """))
    (wipe["endedAt"], wipe["files"], wipe["accountId"]) = (.null, 1, .null)
    information["lastWipe"] = .object(wipe)
    let text = Self.text(.object(information))
    #expect(text.contains("not done, begun 1 hour ago: an account without a known id; "))
    #expect(text.contains("; 1 file was removed\n"))
  }

  @Test("status says why each policy does not apply to an account without a policy", arguments: [225, 103, 203])
  func untargeted(code: Int) {
    let bob: JSONValue = [
      "accountId": "b0b", "identity": "bob@contoso.example", "life": "registered", "isManaged": false,
      "nextCheckInAt": "2026-01-31T10:00:00.000Z",
      "lastStatus": [
        "didSucceed": .bool(code == 103), "statusCode": .integer(Int64(code)), "status": "x", "errorString": "y",
      ],
      "policies": [
        ["id": "T_1", "displayName": "Level 3", "applied": false, "text": "is for a.b, and not for this app, c.d"],
        ["id": "T_2", "displayName": "T_2", "applied": false, "text": "excludes a group of the user"],
      ],
    ]
    let text = Self.text(Self.information([bob]))
    let lines = [
      "bob@contoso.example: \"Level 3\" (T_1) is for a.b, and not for this app, c.d.",
      "bob@contoso.example: T_2 excludes a group of the user.",
    ]
    #expect(text.contains(lines.joined(separator: "\n")) == (code != 203))
  }

  @Test("status fits the terminal width and leaves nothing out", arguments: [20, 40, 80, 200])
  func width(columns: Int) {
    let text = Self.text(Self.information([Self.alice, Self.dave]), width: columns)
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= columns })
    let letters = text.filter { !$0.isWhitespace }
    for piece in ["alice@contoso.example", "enrolled", "5minutesago", "in25minutes", "authRequired(203)", "disabled."] {
      #expect(letters.contains(piece), "\(piece)")
    }
  }

  @Test(
    "status says where the policies come from, or why they are not checked",
    arguments: [
      ("sample", "/state", "from the sample tenant"), ("folder", "/state", "from a tenant folder"),
      ("program", "unix:///s", "from a tenant service, or another program"),
      ("none", "/state", "not checked; --tenant names their source"),
      ("none", "unix:///s", "cannot be read: There is no source."),
    ])
  func source(_ kind: String, _ place: String, _ expected: String) {
    let text = Self.text(Self.information([], source: kind), of: place)
    #expect(text.contains("Policies  \(expected)\n"))
    #expect(text.contains(place.hasPrefix("unix") ? "Server    unix:///s\n" : "State     /state\n"))
  }

  @Test(
    "status names the service or program in --tenant as the source of the policies",
    arguments: [
      ("https://mam.contoso.example:8443", "from the service at https://mam.contoso.example:8443"),
      ("exec:/usr/bin/policies --fast", "from the program /usr/bin/policies"),
      (nil, "from a tenant service, or another program"),
    ])
  func program(_ tenant: String?, _ expected: String) {
    let report = StatusReport(Self.information([], source: "program"), of: "/state", tenant: tenant)
    #expect(report.text(on: Terminal(width: 1000, isColored: false)).contains("Policies  \(expected)\n"))
  }

  @Test("status without accounts says how to enroll one, and omits facts that the server does not report")
  func empty() {
    let text = Self.text(["appId": "com.example.host", "platform": "ios", "time": "2026-01-31T09:30:00.000Z"])
    #expect(text.contains("No account is registered. To enroll one:\n  mambridge call enrollmentManager."))
    #expect(!text.contains("Launch"))
    #expect(!text.contains("Restart"))
  }

  @Test("status colors only the words for states, and escapes control characters in names")
  func colors() {
    var mallory = Self.alice.objectValue ?? [:]
    mallory["identity"] = "m\u{1B}[2J@contoso.example"
    let text = Self.text(Self.information([Self.alice, .object(mallory)]), width: 80, isColored: true)
    #expect(text.contains("\u{1B}[32menrolled\u{1B}[0m"))
    #expect(text.contains("\u{1B}[31mblock\u{1B}[0m"))
    #expect(text.contains("\nalice@contoso.example     \u{1B}[32m"))
    #expect(text.contains("mU+1B[2J@contoso.example"))
    #expect(!text.contains("\u{1B}[2J"))
  }
}

@Suite struct FlowTextTests {
  private var text: FlowText {
    var text = FlowText()
    text.add("12:00Z")
    text.add("info", .good, paddedTo: 7)
    text.add("a message of some length, policyManager.policyDidChangeAgain")
    return text
  }

  private func plain(_ text: String, _: Style) -> String { text }

  @Test("FlowText wraps words to the width, indents all lines but the first and breaks long words")
  func wraps() {
    #expect(
      text.lines(width: 24, plain) == [
        "12:00Z info    a message", "    of some length,", "    policyManager.", "    policyDidChangeAgain",
      ])
    let line = "12:00Z info    a message of some length, policyManager.policyDidChangeAgain"
    #expect(text.lines(width: nil, plain) == [line])
    for width in 6...80 { #expect(text.lines(width: width, plain).allSatisfy { $0.count <= width }) }
  }

  @Test("FlowText styles only the words that were added with a style")
  func styles() {
    let lines = text.lines(width: nil) { $1 == .good ? "<\($0)>" : $0 }
    #expect(lines == ["12:00Z <info   > a message of some length, policyManager.policyDidChangeAgain"])
  }
}
