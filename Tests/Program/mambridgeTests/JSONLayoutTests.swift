import JSON
import TestSupport
import Testing

@testable import mambridge

@Suite struct JSONLayoutTests {
  private static let value: JSONValue = [
    "name": "Alice", "age": 7, "is": true, "none": nil, "list": [1, [], [:], ["a": 1.5]],
  ]

  @Test("JSON is printed on one line, or indented by two spaces with one value per line")
  func indentation() {
    let line = #"{"name":"Alice","age":7,"is":true,"none":null,"list":[1,[],{},{"a":1.5}]}"#
    #expect(JSONLayout().text(of: Self.value) == line)
    #expect(
      JSONLayout(isIndented: true).text(of: Self.value) == """
        {
          "name": "Alice",
          "age": 7,
          "is": true,
          "none": null,
          "list": [
            1,
            [],
            {},
            {
              "a": 1.5
            }
          ]
        }
        """)
  }

  @Test("Indented JSON looks exactly like the output of jq", .enabled(if: Tool.isInstalled("/usr/bin/jq"), "needs jq"))
  func likeJQ() throws {
    let text = Self.value.jsonText
    let expected = try Subprocess.run("/usr/bin/jq", ["-M", "."], input: text).output
    #expect(JSONLayout(isIndented: true).text(of: Self.value) + "\n" == expected)
  }

  @Test("Colored JSON has the colors of jq and the same text as plain JSON")
  func colors() throws {
    let text = JSONLayout(isIndented: true, isColored: true).text(of: Self.value)
    for piece in [
      "\u{1B}[34;1m\"name\"\u{1B}[0m", "\u{1B}[0;32m\"Alice\"\u{1B}[0m", "\u{1B}[0;39m7\u{1B}[0m",
      "\u{1B}[0;39mtrue\u{1B}[0m", "\u{1B}[1;30mnull\u{1B}[0m", "\u{1B}[1;39m[]\u{1B}[0m",
    ] {
      #expect(text.contains(piece), "\(piece)")
    }
    #expect(text.withoutEscapes == JSONLayout(isIndented: true).text(of: Self.value))
  }

  @Test("Printed JSON escapes terminal control characters and still parses to the same value")
  func controls() throws {
    let value: JSONValue = ["\u{9B}1m": "a\u{202E}\u{1B}[2Jz\u{2066}"]
    for layout in [JSONLayout(isIndented: true), JSONLayout(isIndented: true, isColored: true)] {
      let text = layout.text(of: value).withoutEscapes
      #expect(text.unicodeScalars.allSatisfy { $0.isASCII })
      #expect(try JSONValue(parsing: text) == value)
    }
  }
}
