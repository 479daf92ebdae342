import JSON
import Testing

@Suite struct JSONParseTests {
  static let same = [
    "null", "true", "false", "0", "-1", "9007199254740992", "-9007199254740993", "9223372036854775807",
    "-9223372036854775808", "1.5", "-0.25", "1e+300", "5e-324", "\"\"", "\"a b\"", "[]", "{}", "[1,[2,[]],{}]",
    #"{"b":1,"a":[null,true]}"#, #""\"\\/\b\f\n\r\t\u0000\u001f""#, "\"naïve 😀 \u{2028}\u{7F}\"", #"{"":{"":""}}"#,
  ]

  @Test("JSON in normal form is written as it was read", arguments: same)
  func roundTrip(text: String) throws {
    #expect(try JSONValue(parsing: text).jsonText == text)
    #expect(try JSONValue(parsing: " \n\t\r" + text + " \n").jsonText == text)
  }

  static let rewritten: [(String, String)] = [
    ("-0", "0"), ("1E2", "100.0"), ("1.50", "1.5"), (#""\u0041\/\ud83d\ude00""#, #""A/😀""#), ("[ 1 , 2 ]", "[1,2]"),
    ("1e16", "1e+16"), ("-0.0", "-0.0"), ("1e-400", "0.0"),
  ]

  @Test("Other spellings of a JSON value are written in normal form", arguments: rewritten)
  func normalForm(text: String, expected: String) throws {
    #expect(try JSONValue(parsing: text).jsonText == expected)
  }

  static let refused = [
    "", " ", "nul", "NULL", "+1", "01", "1.", ".5", "1e", "0x1", "NaN", "Infinity", "1e400", "-1e400",
    "9223372036854775808", "-9223372036854775809", "[1,]", "[,1]", "[1 2]", "[", "]", "{", "{\"a\"}", "{\"a\":}",
    "{\"a\":1,}", "{a:1}", "{'a':1}", "{\"a\":1,\"a\":2}", #"{"a":1,"\u0061":2}"#, "\"", "\"\n\"", "\"\\x\"",
    #""\u12""#, #""\ud800""#, #""\ud800x""#, #""\udc00""#, #""\ud800\ud800""#, #"{"a\u0000b":1}"#, "1 2", "[] []",
    "\u{FEFF}1", "// 1", "1\u{0}", "[1]\u{0}2", "[1,\u{0}2]", "\"a\u{0}b\"",
  ]

  @Test("Invalid JSON and numbers without an exact value are refused", arguments: refused)
  func refuses(text: String) {
    #expect(throws: JSONParseError.self) { try JSONValue(parsing: text) }
  }

  static let invalidUTF8: [[UInt8]] = [
    [0xFF], [0xC0, 0x80], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80],
  ]

  @Test("JSON with invalid UTF-8 is refused", arguments: invalidUTF8)
  func utf8(bytes: [UInt8]) {
    #expect(throws: JSONParseError.self) { try JSONValue(parsing: [0x22] + bytes + [0x22]) }
  }

  @Test("A JSON error names line, column and offset and never quotes the text")
  func position() throws {
    let error = try #require(throws: JSONParseError.self) { try JSONValue(parsing: "{\n  \"pin\": secret}") }
    #expect(error.line == 2)
    #expect((9...15).contains(error.column))
    #expect((11...17).contains(error.offset))
    #expect(!error.description.contains("secret"))
    #expect(error.description.hasPrefix("line 2, column "))
  }

  @Test("A NUL byte in JSON is an error at its position")
  func nulByte() throws {
    let error = try #require(throws: JSONParseError.self) { try JSONValue(parsing: "[1,\n\"é\",\u{0}]") }
    #expect((error.line, error.column, error.offset) == (2, 5, 9 + 1))
  }

  @Test("The error for a duplicate JSON name does not show the name")
  func duplicate() throws {
    let error = try #require(throws: JSONParseError.self) { try JSONValue(parsing: #"{"secret":1,"secret":2}"#) }
    #expect(error.message.contains("duplicate"))
    #expect(!error.description.contains("secret"))
  }

  @Test("JSON nested 1,000 levels deep is read, and 100,000 levels are refused without a crash")
  func nesting() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(try JSONValue(parsing: nested(1000)).jsonText == nested(1000))
    #expect(throws: JSONParseError.self) { try JSONValue(parsing: nested(100_000)) }
    #expect(throws: JSONParseError.self) { try JSONValue(parsing: String(repeating: "{\"a\":", count: 100_000)) }
  }

  @Test("An escaped NUL in a JSON string is kept")
  func nul() throws {
    #expect(try JSONValue(parsing: #""a\u0000b""#) == "a\u{0}b")
    #expect(JSONValue.string("a\u{0}b").jsonText == #""a\u0000b""#)
  }
}
