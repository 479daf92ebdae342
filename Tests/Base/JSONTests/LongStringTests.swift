import TestSupport
import Testing

@testable import JSON

/// What `text` means, read with its strings kept apart from `threshold` bytes on; the second is how many were.
private func scanned(_ text: String, threshold: Int = LongStrings.threshold) throws -> (value: JSONValue, lifted: Int) {
  var text = text
  return try text.withUTF8 { bytes in
    let document = try JSONDocument(scanned: UnsafeRawBufferPointer(bytes), threshold: threshold)
    return (document.root.value, document.lifted?.count ?? 0)
  }
}

@Suite("Long strings kept apart from jansson")
struct LongStringTests {
  private static let long = String(repeating: "A+/9", count: 1 << 10)

  @Test("Long JSON strings are lifted at every depth, but not if they are names")
  func places() throws {
    let long = Self.long
    #expect(try scanned("\"\(long)\"") == (.string(long), 1))
    #expect(try scanned("[\"\(long)\", [\"\(long)b\"]]") == ([.string(long), [.string(long + "b")]], 2))
    let object: JSONValue = .object([long: .string(long), "b": ["c": .string(long + "d"), "e": 5]])
    #expect(try scanned(object.jsonText) == (object, 2))
    #expect(try scanned("{\"\(long)\" \n: 1}") == (.object([long: 1]), 0))
  }

  @Test("A JSON string is long from the threshold on, counted in bytes", arguments: [-1, 0, 1])
  func length(_ more: Int) throws {
    let text = String(repeating: "é", count: LongStrings.threshold / 2 - 1) + String(repeating: "x", count: 2 + more)
    #expect(try scanned("[\"\(text)\"]") == ([.string(text)], more < 0 ? 0 : 1))
  }

  /// Text between quotes, and whether it is lifted.
  static let escapes: [(String, Bool)] = [
    (#"\/"#, true), (#"a\/\/b"#, true), (#"\\"#, false), (#"\""#, false), (#"\\\""#, false), (#"\n"#, false),
    (#"\u0041"#, false), (#"\/\n"#, false), (#"\\/"#, false), ("", true), ("é😀", true), ("{[,:]}", true),
  ]

  @Test("A long JSON string with any escape but \\/ is left to jansson", arguments: escapes)
  func escape(_ part: String, _ isLifted: Bool) throws {
    for content in [part + Self.long, Self.long + part, Self.long + part + Self.long] {
      let text = "{\"a\":\"\(content)\",\"b\":\"\(part)\"}"
      #expect(try scanned(text) == (try JSONValue(parsing: text), isLifted ? 1 : 0))
    }
  }

  static let marks = [#"\u0000"#, #"\u00000"#, #"\u00001"#, #"\u0000\u00000"#, #"\u0000"# + "é"]

  @Test("A string that looks like the mark of a lifted string is read as itself", arguments: marks)
  func looksLikeMark(_ mark: String) throws {
    let long = Self.long
    for text in ["[\"\(mark)\",\"\(long)\"]", "[\"\(long)\",\"\(mark)\"]", "[\"\(long)\",{\"a\":[\"\(mark)\"]}]"] {
      #expect(try scanned(text) == (try JSONValue(parsing: text), 0))
    }
    let inside = "[\"\(long)\",\"a\(mark)\",\"\\\(mark)\"]"
    #expect(try scanned(inside) == (try JSONValue(parsing: inside), 1))
  }

  static let unrepresentable = [
    #"{"a":1,"a":2}"#, #"{"a":1,"\u0061":2}"#, "1e400", "9223372036854775808", #""\ud800""#, #"{"a\u0000b":1}"#,
  ]

  @Test(
    "The error for text with long strings is the same as for the whole text, with its position",
    arguments: unrepresentable)
  func errors(_ part: String) throws {
    let long = Self.long
    for text in ["[\"\(long)\",\n \(part)]", "[\(part),\n\"\(long)\"]", "{\"é\":\"\(long)\",\"b\":\(part)}"] {
      let expected = try #require(throws: JSONParseError.self) { try JSONValue(parsing: text) }
      #expect(throws: expected) { try scanned(text) }
    }
  }

  @Test("A name given twice with long values is an error")
  func duplicate() {
    #expect(throws: JSONParseError.self) { try scanned("{\"a\":\"\(Self.long)\",\"a\":\"\(Self.long)\"}") }
  }

  @Test("1,200 strings of different lengths each read back as themselves")
  func many() throws {
    let strings = (0..<1200).map { String(repeating: "x", count: $0) + String($0) }
    let value: JSONValue = .array(strings.map(JSONValue.string))
    let (read, lifted) = try scanned(value.jsonText)
    #expect(read == value)
    #expect(lifted == strings.count { $0.utf8.count >= LongStrings.threshold })
  }

  static let tables = JSONParseTests.same + JSONParseTests.rewritten.map(\.0)

  @Test("The result of parsing is the same whichever strings are lifted", arguments: tables)
  func whateverIsLifted(_ text: String) throws {
    let expected = try JSONValue(parsing: text)
    for threshold in 1...8 { #expect(try scanned(text, threshold: threshold).value == expected) }
    let beside = "[\"\(Self.long)\",\(text),\"\(Self.long)\"]"
    #expect(try scanned(beside) == ([.string(Self.long), expected, .string(Self.long)], 2))
  }

  @Test("A lifted string is read like any other, and its value outlives the text")
  func lifetime() throws {
    func value() throws -> JSONValue {
      try Array("{\"a\":\"\(Self.long)\"}".utf8).withUnsafeBytes { text in
        let node = try #require(try JSONDocument(scanned: text).root.member("a"))
        #expect(node.kind == "a string")
        #expect(try String.decode(node) == Self.long)
        return node.value
      }
    }
    #expect(try value() == .string(Self.long))
  }

  @Test("The text beside lifted strings is overwritten before its memory is freed")
  func cleared() throws {
    var text = "[\"\(String(repeating: "1357924680", count: 20))\",\"\(Self.long)\"]"
    var lifted = try text.withUTF8 { text in
      try #require(LiftedText(UnsafeRawBufferPointer(text), threshold: LongStrings.threshold))
    }
    let rest = lifted.rest.map(\.self)
    let place = lifted.rest.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    #expect(ProcessMemory.count(of: rest, leftAt: place) == rest.count)
    lifted.clearRest()
    #expect(lifted.rest == [])
    #expect(ProcessMemory.count(of: rest, leftAt: place) < rest.count / 2)
  }

  @Test("Text of many quotes and backslashes is parsed correctly beside a long string")
  func backslashes() throws {
    for part in [#"\\"#, #"\""#, #"\/"#, #"\\\""#] {
      let text = "[\"\(String(repeating: part, count: 200_000))\",\"\(Self.long)\"]"
      #expect(try scanned(text).value == (try JSONValue(parsing: text)))
    }
  }
}
