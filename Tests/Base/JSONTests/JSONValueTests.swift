import JSON
import Testing

@Suite struct JSONValueTests {
  @Test("Each accessor of a JSON value returns nil for values of other kinds")
  func accessors() {
    let values: [JSONValue] = [.null, true, 5, 2.5, "text", [1], ["a": 1]]
    #expect(values.map { $0.boolValue != nil } == [false, true, false, false, false, false, false])
    #expect(values.map { $0.integerValue != nil } == [false, false, true, false, false, false, false])
    #expect(values.map { $0.numberValue != nil } == [false, false, true, true, false, false, false])
    #expect(values.map { $0.stringValue != nil } == [false, false, false, false, true, false, false])
    #expect(values.map { $0.arrayValue != nil } == [false, false, false, false, false, true, false])
    #expect(values.map { $0.objectValue != nil } == [false, false, false, false, false, false, true])
    #expect(JSONValue.number(5).integerValue == 5)
    #expect(JSONValue.number(1e300).integerValue == nil)
    #expect(JSONValue.number(0x1p63).integerValue == nil)
  }

  @Test("A JSON object keeps the order of its members, has each name once, and compares without order")
  func objects() {
    var object: JSONObject = ["b": 1, "a": 2, "b": 3]
    #expect(object.names == ["b", "a"])
    #expect(object["b"] == 3)
    object["c"] = .null
    object["b"] = nil
    #expect(object.names == ["a", "c"])
    #expect(object == ["c": nil, "a": 2])
    #expect(object.hashValue == (["c": nil, "a": 2] as JSONObject).hashValue)
    #expect(object != ["a": 2])
    #expect(object != ["a": 2, "d": nil])
  }

  @Test("NaN and infinity are written as null")
  func unwritable() {
    #expect(JSONValue.number(.nan).jsonText == "null")
    #expect(JSONValue.array([.number(.infinity), 1]).jsonText == "[null,1]")
  }

  @Test("Indented JSON reads back unchanged, and short parts stay on one line")
  func indented() throws {
    let long = JSONValue.array((0..<30).map { .integer($0) })
    let value: JSONValue = ["short": [1, 2], "long": long, "empty": [:]]
    #expect(try JSONValue(parsing: value.indentedText) == value)
    #expect(value.indentedText.contains("\n  \"short\": [1,2],\n"))
    #expect((["a": 1] as JSONValue).indentedText == #"{"a":1}"#)
  }
}
