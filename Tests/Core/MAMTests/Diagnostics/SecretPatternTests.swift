import JSON
import Model
import Testing

@testable import MAM

@Suite struct SecretPatternTests {
  private static let salt: [UInt8] = Array(0..<16)
  private static let policy = "T_11111111-2222-4333-8444-555555555555"

  private static let scrubber = ExportScrubber(
    scrubber: LogScrubber(pseudonyms: Pseudonyms(salt: salt), keys: ["Falcon"]),
    names: KnownNames(["Alice Adams", "block"]),
    pseudonyms: Pseudonyms(salt: salt), keeping: [policy])

  private static func user(_ name: String) -> String { Pseudonyms(salt: salt).name(for: name) }
  private static func path(_ name: String) -> String { Pseudonyms(salt: salt).name(for: name, label: "path") }
  private static func secret(_ name: String) -> String { Pseudonyms(salt: salt).name(for: name, label: "hidden") }

  private static let object = "87d349ed-44d7-43e1-9a83-5f2406dee5bd"
  private static let token = "eyJ0eXAiOiJKV1QiLCJhbGciOiJub25lIn0.eyJ1cG4iOiJhbGljZSJ9."
  private static let hex = String(repeating: "0a1b2c3d", count: 8)

  private static let texts: [(String, String)] = [
    ("nothing of interest, twice: yes.", "nothing of interest, twice: yes."),
    ("by eve@home.example.", "by \(user("eve@home.example"))."),
    ("<eve@home.example>;", "<\(user("eve@home.example"))>;"),
    ("mailto:eve@home.example", "mailto:\(user("eve@home.example"))"),
    ("opened by Alice Adams with Falcon=nine", "opened by \(user("Alice Adams")) with Falcon=***"),
    ("id \(object)", "id \(user(object))"), ("for:\(object)!", "for:\(user(object))!"),
    ("policy \(policy)", "policy \(policy)"),
    ("open(/home/alice/plan.txt) failed", "open(\(path("/home/alice/plan.txt"))) failed"),
    ("saved \"/home/al/My plan/q 3.txt\"", "saved \"\(path("/home/al/My plan/q 3.txt"))\""),
    ("~/plan, and/or 1/2", "\(path("~/plan")), and/or 1/2"),
    ("file:///home/alice/x", "file:\(path("///home/alice/x"))"),
    ("see https://mail.contoso.example/a?token=abc#b", "see https://mail.contoso.example/a?token=***#b"),
    ("Authorization: Bearer abc.def", "Authorization: *** ***"), ("bearer abc", "bearer ***"),
    ("pin 2580 and PIN: 2580 and pin=2580", "pin *** and PIN: *** and pin=***"),
    ("the PIN is required", "the PIN is required"), ("PIN is 2580, it was 2580x", "PIN is ***, it was 2580x"),
    ("passcode 12ab", "passcode ***"), ("pwd=a", "pwd=***"), ("password \"hunter\"", "password \"***\""),
    ("Cookie: a=b; c=d", "Cookie: ***; ***"),
    ("alice%40contoso.example", user("alice%40contoso.example")),
    (#"in C:\Users\al\x.txt, \\pc\al"#, "in \(path(#"C:\Users\al\x.txt"#)), \(path(#"\\pc\al"#))"),
    (#"{"access_token": "x1", "n": 3}"#, #"{"access_token": "***", "n": 3}"#),
    ("password : hunter2", "password : ***"),
    ("got \(token.dropLast())", "got \(secret(String(token.dropLast())))"),
    ("key \(hex)", "key \(secret(hex))"), ("hash=\(hex)", "hash=\(secret(hex))"),
    ("enrollmentManager.registerAndEnrollAccount", "enrollmentManager.registerAndEnrollAccount"),
    ("2026-02-02T02:40:00.000Z <user:3fa1c2d4>", "2026-02-02T02:40:00.000Z <user:3fa1c2d4>"),
    ("ünï «eve@home.example»", "ünï \(user("«eve@home.example»"))"),
    ("", ""), (":", ":"), ("=", "="), ("pin:", "pin:"), ("/", "/"), ("//", "//"),
  ]

  @Test("An export replaces personal data and secrets in a text and keeps the rest", arguments: texts)
  func text(_ text: String, _ expected: String) {
    #expect(Self.scrubber.text(text) == expected)
  }

  @Test("Scrubbing a text that is already scrubbed does not change it", arguments: texts)
  func twice(_ text: String, _ expected: String) {
    #expect(Self.scrubber.text(expected) == expected)
  }

  @Test("An export scrubs all strings of a JSON value, names of members, and members such as accessToken")
  func value() {
    let value: JSONValue = [
      "eve@home.example": [1, true, nil, ["/home/x"]], "accessToken": "short", "pinRequired": true, "none": "text",
    ]
    let list: JSONValue = [1, true, nil, [.string(Self.path("/home/x"))]]
    var expected: JSONObject = ["accessToken": "***", "pinRequired": true, "none": "text"]
    expected[Self.user("eve@home.example")] = list
    #expect(Self.scrubber.value(value) == .object(expected))
  }

  @Test("An export replaces a known name in identity and in text, but not as the value of another member")
  func words() {
    let value: JSONValue = ["verdict": "block", "identity": "block", "accountId": nil, "state": ["main": "zoe"]]
    let expected: JSONValue = [
      "verdict": "block", "identity": .string(Self.user("block")), "accountId": nil, "state": ["main": "zoe"],
    ]
    #expect(Self.scrubber.value(value) == expected)
    #expect(Self.scrubber.text("by block") == "by \(Self.user("block"))")
  }

  @Test(
    "An export replaces the identity of a window, thread, process or account, whatever its form",
    arguments: ["zoe", "block", "zoe@home.example", "Zoe Zed"])
  func identities(name: String) {
    let person = JSONValue.string(Self.user(name))
    let value: JSONValue = [
      "process": .string(name), "threads": ["main": .string(name)], "windows": ["w": .string(name), "": .string(name)],
      "primary": ["identity": .string(name), "accountId": .string(name)],
    ]
    let expected: JSONValue = [
      "process": person, "threads": ["main": person], "windows": ["w": person, "": person],
      "primary": ["identity": person, "accountId": person],
    ]
    #expect(Self.scrubber.value(value) == expected)
  }

  @Test("Hidden values show whether they are equal, and nothing else")
  func hidden() {
    #expect(Self.scrubber.hidden("on") == Self.scrubber.hidden("on"))
    #expect(Self.scrubber.hidden("on") != Self.scrubber.hidden("off"))
    #expect(Self.scrubber.hidden("on").stringValue?.hasPrefix("<value:") == true)
  }
}
