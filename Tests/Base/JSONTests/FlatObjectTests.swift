import Testing

@testable import JSON

/// What a flat object is read as; `nil` if jansson must read the text.
private func flat(_ text: String) throws -> JSONValue? {
  var text = text
  return try text.withUTF8 { bytes in
    guard FlatObject(UnsafeRawBufferPointer(bytes)) != nil else { return nil }
    return try JSONNode(scanned: UnsafeRawBufferPointer(bytes)).value
  }
}

@Suite("Flat JSON objects read in place")
struct FlatObjectTests {
  static let texts = [
    "{}", " { } ", #"{"a":"b"}"#, "{\"a\" :\t\"\" ,\n\"é\":\"😀{[,:]}\"}", #"{"":1,"a":-1,"b":0,"c":-0}"#,
    #"{"a":999999999999999999,"b":-999999999999999999}"#, #"{"a":true,"b":false,"c":null}"#,
    #"{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8}"#,
    #"{"data":"\#(String(repeating: "A", count: 100_000))"}"#,
    #"{"a":{}}"#, #"{"a":{},"b":{ "a" : "x", "b":1 } ,"c":null}"#,
    #"{"a":{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8},"b":"{}"}"#,
  ]

  @Test("A flat object is read in place as jansson reads it", arguments: texts)
  func value(_ text: String) throws {
    #expect(try flat(text) == (try JSONValue(parsing: text)))
  }

  static let others = [
    "[]", "1", #""a""#, #"{"a":[]}"#, #"{"a":{"b":{}}}"#, #"{"a":{"b":[]}}"#, #"{"a":{"b":"\n"}}"#,
    #"{"a":1.5}"#, #"{"a":1e5}"#, #"{"a":1E5}"#, #"{"a":-1.0,"b":2}"#,
    #"{"a":1000000000000000000}"#, #"{"a":"\n"}"#, #"{"a\n":1}"#, #"{"\u0061":1}"#, #"{"a":"\\"}"#,
    #"{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9}"#,
    // Strings with an escape, whose text looks like another value and the end of the object.
    #"{"a":"1}\n"}"#, #"{"a":"n}\n"}"#, #"{"a":"t }\n"}"#, #"{"a":"{}}\n"}"#, #"{"a":{"b":"1}}\n"}}"#,
  ]

  @Test("An object that is not flat is left to jansson", arguments: others)
  func other(_ text: String) throws {
    #expect(try flat(text) == nil)
  }

  @Test(
    "A duplicate name in a flat object is the same error as in jansson",
    arguments: [
      #"{"a":1,"a":1}"#, #"{"":1,"":2}"#, #"{"a":1,"b":2,"a":"x"}"#, #"{"a":{"b":1,"b":1}}"#, #"{"a":{},"a":{}}"#,
    ])
  func duplicate(_ text: String) throws {
    let expected = try #require(throws: JSONParseError.self) { try JSONValue(parsing: text) }
    var text = text
    #expect(throws: expected) { try text.withUTF8 { try JSONNode(scanned: UnsafeRawBufferPointer($0)) } }
  }

  @Test("An object in a flat object has its own members")
  func inner() throws {
    var text = #"{"a":{"b":"x","a":1},"b":2}"#
    try text.withUTF8 { bytes in
      let inner = try #require(try JSONNode(scanned: UnsafeRawBufferPointer(bytes)).member("a"))
      #expect(inner.memberNames == ["b", "a"])
      #expect(inner.memberCount == 2)
      #expect(inner.member("b")?.string == "x")
      #expect(inner.member("c") == nil)
      #expect(inner.kind == "an object")
      #expect(inner.string == nil && inner.elementCount == nil && inner.element(0) == nil)
    }
  }

  @Test("Members of a flat object are found by their whole name, and each value has one type")
  func members() throws {
    var text = #"{"ab":"x","a":1,"yes":true,"no":false,"null":null}"#
    try text.withUTF8 { bytes in
      let root = try JSONNode(scanned: UnsafeRawBufferPointer(bytes))
      #expect(root.memberCount == 5)
      #expect(root.memberNames == ["ab", "a", "yes", "no", "null"])
      #expect(root.member("a")?.integer == 1)
      #expect(root.member("ab")?.string == "x")
      #expect(root.member("b") == nil)
      #expect(
        root.member("yes")?.bool == true && root.member("no")?.bool == false && root.member("null")?.isNull == true)
      for name in root.memberNames {
        let node = try #require(root.member(name))
        let matches = [node.string != nil, node.integer != nil, node.bool != nil, node.isNull].filter { $0 }
        #expect(matches.count == 1)
        #expect(node.real == nil)
        #expect(node.elementCount == nil)
        #expect(node.memberCount == nil)
        #expect(node.element(0) == nil)
        #expect(node.member("a") == nil)
      }
      #expect(root.string == nil)
      #expect(root.integer == nil)
      #expect(root.bool == nil)
      #expect(!root.isNull)
      #expect(root.elementCount == nil)
    }
  }
}
