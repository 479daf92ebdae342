import JSON
import Testing

@testable import PhoneLogs

@Suite struct LooseValueTests {
  @Test(
    "LooseValue reads JSON, property lists and the dumps of Android and Swift, complete or truncated",
    arguments: [
      (#"{"a": "b", "c": [1, true, null], "d": {}}"#, #"{"a":"b","c":["1","true",null],"d":{}}"#),
      (#"{"a": "b\"\u00e9\n"}"#, #"{"a":"b\"é\n"}"#),
      (#"{\"a\": \"b\"}"#, #"{"a":"b"}"#),
      (
        #"{ A = ( { Name = K; Value = "V 1"; } ); B = "<null>"; C = <null>; }"#,
        #"{"A":[{"Name":"K","Value":"V 1"}],"B":"<null>","C":null}"#
      ),
      ("[k = v w, list = [a, b], empty = [], n = 1.10]", #"{"k":"v w","list":["a","b"],"empty":[],"n":"1.10"}"#),
      (#"[AnyHashable("a"): <null>, AnyHashable("b"): Optional("c")]"#, #"{"a":null,"b":"c"}"#),
      (#"{"a": {"b": "c"#, #"{"a":{"b":"c"}}"#), ("{", "{}"), ("{]})(", "{}"), (#"{"a""#, #"["a"]"#),
    ])
  func read(_ text: String, _ expected: String) {
    #expect(LooseValue.read(Array(text.utf8))?.jsonText == expected)
  }

  @Test("Random bytes neither crash examine nor make it loop")
  func random() {
    var generator = SystemRandomNumberGenerator()
    let signs = Array(#"{}[]()"\=:;,<>a1 "#.utf8) + [0x0A, 0x00, 0xFF]
    for _ in 0..<5_000 {
      let bytes = (0..<Int.random(in: 0...60, using: &generator)).map { _ in signs.randomElement() ?? 0 }
      _ = LooseValue.read([UInt8(ascii: "{")] + bytes)
      _ = examine(String(decoding: bytes, as: UTF8.self))
    }
  }

  @Test("LooseValue reads 100,000 nested dictionaries without exhausting the stack")
  func deep() {
    let text = String(repeating: "{a=", count: 100_000)
    let isRead = LooseValue.read(Array(text.utf8)) != nil
    #expect(isRead)
  }
}
