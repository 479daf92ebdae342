import JSON
import Testing

/// A JSON text whose parts are replaced keeps all other bytes.
@Suite struct JSONTextTests {
  @Test(
    "Setting or removing a member of a JSON text keeps the layout of the text",
    arguments: [
      ("a", 2, #"{"a":1,"b":[true]}"#, #"{"a":2,"b":[true]}"#),
      ("c", 3, #"{"a":1,"b":[true]}"#, #"{"a":1,"b":[true],"c":3}"#),
      ("c", 3, #"{"a": 1, "b": 2}"#, #"{"a": 1, "b": 2, "c": 3}"#),
      ("c", 3, #"{}"#, #"{"c":3}"#),
      ("c", [1], "{\n    \"a\": 1\n}\n", "{\n    \"a\": 1,\n    \"c\": [\n        1\n    ]\n}\n"),
      ("c", [1], "{\n  \"a\": [2]\n}\n", "{\n  \"a\": [2],\n  \"c\": [1]\n}\n"),
      ("a", ["x": 1], "{\r\n\t\"a\": {\r\n\t}\r\n}", "{\r\n\t\"a\": {\r\n\t\t\"x\": 1\r\n\t}\r\n}"),
      ("a", nil, "{\n  \"a\": 1,\n  \"b\": 2\n}", "{\n  \"b\": 2\n}"),
      ("b", nil, "{\n  \"a\": 1,\n  \"b\": 2\n}", "{\n  \"a\": 1\n}"),
      ("a", nil, #"{"a":1}"#, "{}"),
      ("é\n", 1, #"  {"\u00e9\n" : 0}"#, #"  {"\u00e9\n" : 1}"#),
    ] as [(String, JSONValue?, String, String)])
  func members(name: String, value: JSONValue?, before: String, after: String) {
    var text = JSONText(before)
    text.set(name, to: value, at: text.root)
    #expect(text.text == after)
  }

  @Test("An element can be appended to and removed from a JSON text")
  func elements() {
    let before = "[\n  {\"a\": \"x,]\"},\n  2,\n  [3]\n]"
    var text = JSONText(before)
    text.append(["b": "y"], at: text.root)
    #expect(text.text == "[\n  {\"a\": \"x,]\"},\n  2,\n  [3],\n  {\"b\":\"y\"}\n]")
    for (index, left) in ["[\n  2,\n  [3]\n]", "[\n  {\"a\": \"x,]\"},\n  [3]\n]", "[\n  {\"a\": \"x,]\"},\n  2\n]"]
      .enumerated()
    {
      var text = JSONText(before)
      text.remove(index, at: text.root)
      #expect(text.text == left)
    }
    var empty = JSONText("{\n  \"a\": []\n}")
    empty.append(1, at: empty.member("a", at: empty.root) ?? 0..<0)
    #expect(empty.text == "{\n  \"a\": [\n    1\n  ]\n}")
  }

  @Test("A value set in a JSON text reads back, and the rest of the text keeps its values")
  func roundTrip() throws {
    let values: [JSONValue] = [
      nil, true, 5, 1.5, "a\"\\\u{1F600}", [], [:], [[1, ["b": [2]]], "x"],
      ["long": .string(String(repeating: "y", count: 90))],
    ]
    for layout in [
      "{\"k\":0,\"l\":[1]}", "{\n  \"k\": 0,\n  \"l\": [1]\n}", "{\n\t\"k\": 0,\n\t\"l\": [\n\t\t1\n\t]\n}\n",
    ] {
      for value in values {
        var text = JSONText(layout)
        text.set("k", to: value, at: text.root)
        text.set("new", to: value, at: text.root)
        #expect(try JSONValue(parsing: text.text) == ["k": value, "l": [1], "new": value], "\(text.text)")
      }
    }
  }
}
