import TestSupport
import Testing

@testable import JSON

@Suite("Finding array elements without parsing them")
struct ArraySpanTests {
  /// The spans of the array `list`, and what they and the rest are parsed as; `nil` if there are no spans.
  private struct Parts {
    var elements: [JSONValue] = []
    var rest: JSONValue = .null

    init?(_ text: [UInt8]) throws(JSONParseError) {
      guard let spans = text.withUnsafeBytes({ ArraySpans(of: "list", in: $0) }) else { return nil }
      for index in 0..<spans.count { elements.append(try JSONValue(parsing: text[spans[index]])) }
      rest = try JSONValue(parsing: Array(text[..<spans.content.lowerBound] + text[spans.content.upperBound...]))
    }

    /// The whole text.
    var value: JSONValue {
      var object = rest.objectValue ?? [:]
      object["list"] = .array(elements)
      return .object(object)
    }
  }

  @Test(
    "Array elements are found whatever they contain and whatever surrounds them",
    arguments: [
      #"{"list":[]}"#, " {\t\"list\" :\r\n[ ] } ", #"{"list":[1]}"#,
      #"{"a":{"list":[5]},"list":[ {"list":[]} , [[]],"]",null]}"#,
      #"{"list":["\\\"]","\\",{"a\"}":"\u0041"}],"z":[[{}],"[",-1.5e3,true]}"#, "{\"é\":1,\"list\":[\"é\",{\"😀\":2}]}",
    ])
  func valid(_ text: String) throws {
    let parts = try #require(try Parts(Array(text.utf8)))
    #expect(try parts.value == JSONValue(parsing: text))
  }

  @Test(
    "No array elements are found if there is no such array or only a full parse can tell",
    arguments: [
      "", "{", "{}", "[]", #"{"list":5}"#, #"{"list":{}}"#, #"{"list":[1}"#, #"{"list":[1],"#, #"{"list":[1]} 2"#,
      #"{"list":[1],"list":[2]}"#, #"{"\u006cist":[1]}"#, #"{"a":{"list":[1]}}"#, #"{"list":[1 2]}"#, #"{"list":["]}"#,
      #"{"list":[\#(String(repeating: "[", count: 513))\#(String(repeating: "]", count: 513))]}"#, "{\"list\":[1,\"a",
    ])
  func other(_ text: String) {
    let isFound = Array(text.utf8).withUnsafeBytes { ArraySpans(of: "list", in: $0) != nil }
    #expect(!isFound)
  }

  @Test("Text is valid JSON if and only if its array elements and the rest of the text are", arguments: 0..<40)
  func grammar(seed: Int) throws {
    var random = SeededGenerator(state: UInt64(seed))
    let pieces = [
      "{", "}", "[", "]", ",", ":", "\"", "\\", "\\\"", " ", "\n", "1", "-", "true", "nul", "\"list\"", "\"a\":",
      "\u{0}",
      "\"list\":[", "{\"b\":[{}]}", "é",
    ]
    var found = 0
    for _ in 0..<300 {
      var text = Array(#"{"a":[1],"list":[{"b":"x"},{"b":[2]}, "y"],"c":null}"#.utf8)
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let place = Int.random(in: 0...text.count, using: &random)
        let end = min(text.count, place + Int.random(in: 0...4, using: &random))
        text.replaceSubrange(place..<end, with: (pieces.randomElement(using: &random) ?? "").utf8)
      }
      let whole = try? JSONValue(parsing: text)
      let parts: Parts?
      do { parts = try Parts(text) } catch {
        #expect(whole == nil, "\(String(decoding: text, as: UTF8.self))")
        continue
      }
      guard let parts else { continue }
      found += 1
      #expect(parts.value == whole, "\(String(decoding: text, as: UTF8.self))")
    }
    #expect(found > 20)
  }

  @Test(
    "A plain string is read in place exactly as jansson reads it",
    arguments: [
      "", "a", "plain text of more than eight bytes", "müller@contoso.example", "😀😀😀😀", "\u{7F}", "a\\", "1234567\\n",
      "12345678\\u0041", "tab\t", "12345678\n", "\u{0}", "12345678\u{1F}z",
    ])
  func plainString(_ content: String) throws {
    try check(Array(content.utf8))
  }

  @Test("Bytes that are not UTF-8 are not read as a plain string", arguments: 0..<20)
  func bytes(seed: Int) throws {
    var random = SeededGenerator(state: UInt64(seed))
    for _ in 0..<200 {
      let lead: [[UInt8]] = [[], Array("12345678".utf8), [0xC3], [0xE2, 0x82], [0xF0, 0x9F], [0xED, 0xA0, 0x80]]
      try check((lead.randomElement(using: &random) ?? []) + random.bytes(Int.random(in: 0...4, using: &random)))
    }
  }

  private func check(_ content: [UInt8]) throws {
    guard !content.contains(UInt8(ascii: "\"")) else { return }
    let text = [UInt8(ascii: "\"")] + content + [UInt8(ascii: "\"")]
    let expected = content.contains(UInt8(ascii: "\\")) ? nil : (try? JSONValue(parsing: text))?.stringValue
    let found = text.withUnsafeBytes { bytes in
      var cursor = TextCursor(bytes)
      return cursor.plainString().map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(found.map { Array($0.utf8) } == expected.map { Array($0.utf8) }, "\(content)")
  }
}
