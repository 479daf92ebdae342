import JSON
import Testing

@Suite struct FieldValueTests {
  private func decode<Value: FieldValue>(_ text: String) throws -> Value {
    try Value.decode(JSONDocument(parsing: text).root)
  }

  static let integerCases: [(String, Int64?)] = [
    ("5", 5), ("5.0", 5), ("-5e2", -500), ("9007199254740992.0", 0x20_0000_0000_0000), ("1e16", nil), ("1e300", nil),
    ("9223372036854775807", .max), ("0.5", nil), ("true", nil), ("\"5\"", nil), ("null", nil),
  ]

  @Test("An integer is also read from a number without a fraction if that is exact", arguments: integerCases)
  func integers(text: String, expected: Int64?) throws {
    #expect((try? decode(text) as Int64) == expected)
    #expect((try? decode(text) as Int) == expected.map(Int.init))
  }

  @Test("A floating-point number is also read from an integer")
  func numbers() throws {
    #expect(try decode("5") as Double == 5)
    #expect(try decode("2.5") as Double == 2.5)
    #expect(throws: JSONDecodingError.self) { try decode("\"2.5\"") as Double }
  }

  @Test("A dictionary is written in the order of its names, and an error names the member")
  func dictionaries() throws {
    #expect(["b": 1, "a": 2].jsonText == #"{"a":2,"b":1}"#)
    #expect(throws: JSONDecodingError(.wrongType(expected: "a string", found: "an integer")).inside("a")) {
      try decode(#"{"a":1}"#) as [String: String]
    }
  }

  @Test("Only null is read as Nothing")
  func nothing() throws {
    #expect(try decode("null") as Nothing == Nothing())
    #expect(throws: JSONDecodingError.self) { try decode("{}") as Nothing }
    #expect(Nothing().jsonText == "null")
  }

  static let base64Cases: [(String, [UInt8]?)] = [
    ("", []), ("AA==", [0]), ("AAEC", [0, 1, 2]), ("//79", [255, 254, 253]), ("AA", nil), ("AA=", nil), ("A", nil),
    ("__79", nil), ("AA A", nil), ("AA\t==", nil), ("====", nil), ("é", nil), ("AB==", nil), ("AA==AA==", nil),
  ]

  @Test("Bytes are read from padded base64, and other text is refused", arguments: base64Cases)
  func base64(text: String, bytes: [UInt8]?) throws {
    #expect((try? decode(JSONValue.string(text).jsonText) as Base64Bytes)?.bytes == bytes)
    #expect(Base64Bytes(text: text)?.bytes == bytes)
    guard let bytes else { return }
    #expect(Base64Bytes(bytes).jsonText == "\"\(text)\"")
    #expect(Base64Bytes(bytes).text == text)
  }

  @Test("Bytes of every length read back from base64 unchanged")
  func base64Lengths() throws {
    for count in 0..<200 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37) }
      #expect(try decode(Base64Bytes(bytes).jsonText) as Base64Bytes == Base64Bytes(bytes))
    }
  }
}
