import JSON
import Testing

@Suite struct JSONWriterTests {
  @Test("JSONWriter puts commas exactly between values")
  func commas() {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("a", 1)
    writer.name("b")
    writer.beginArray()
    writer.beginArray()
    writer.endArray()
    writer.null()
    writer.beginObject()
    writer.endObject()
    writer.plainString("x".utf8)
    writer.raw("[1]")
    writer.raw("2".utf8)
    writer.endArray()
    writer.member("c", true)
    writer.endObject()
    #expect(writer.text == #"{"a":1,"b":[[],null,{},"x",[1],2],"c":true}"#)
  }

  @Test("JSONWriter escapes every control character so that it reads back")
  func escapes() throws {
    for code in UInt8(0)..<0x80 {
      let text = "a" + String(Unicode.Scalar(code)) + "é"
      let written = JSONValue.string(text).jsonText
      #expect(written.utf8.allSatisfy { $0 >= 0x20 })
      #expect(try JSONValue(parsing: written) == .string(text))
    }
  }

  @Test("JSONWriter escapes what must be, and nothing else, at every place of a string", arguments: 0..<18)
  func places(before: Int) throws {
    let escaped = Set((0..<0x20).map { UInt8($0) } + [0x22, 0x5C])
    for code in UInt8(0)..<0x80 {
      for after in [0, 1, 7, 8, 17] {
        let start = String(repeating: "é", count: before / 2) + String(repeating: "~", count: before % 2)
        let (character, end) = (String(Unicode.Scalar(code)), String(repeating: "!", count: after))
        let written = JSONValue.string(start + character + end).jsonText
        #expect(try JSONValue(parsing: written) == .string(start + character + end))
        #expect(written.hasPrefix("\"\(start)") && written.hasSuffix("\(end)\""))
        #expect((written.utf8.count > before + after + 3) == escaped.contains(code))
      }
    }
  }

  static let integerCases: [Int64] = [0, 9, 10, -1, -9, 0x20_0000_0000_0000, -0x20_0000_0000_0000, .max, .min]

  @Test("Integers are written to JSON exactly", arguments: integerCases)
  func integers(value: Int64) throws {
    #expect(value.jsonText == String(value))
    #expect(try JSONValue(parsing: value.jsonText).integerValue == value)
  }

  static let doubleCases: [Double] = [
    0.1, -1.5, 1e21, 1e-7, 123_456_789.125, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 0x1p53,
  ]

  @Test("A double written to JSON reads back as the same double", arguments: doubleCases)
  func doubles(value: Double) throws {
    #expect(try JSONValue(parsing: value.jsonText).numberValue == value)
  }
}
