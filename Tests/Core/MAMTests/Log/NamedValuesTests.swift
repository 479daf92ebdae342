import JSON
import Testing

@testable import MAM

@Suite struct NamedValuesTests {
  private let values = NamedValues(["apiKey", "my key", ""])

  static let texts: [(String, String)] = [
    ("apiKey=hunter2", "apiKey=***"), (#""apiKey": "hunter2""#, #""apiKey": "***""#),
    ("apiKey: hunter2, x=1", "apiKey: ***, x=1"), ("a apiKey = hunter2 b=3", "a apiKey = *** b=3"),
    ("apiKey=two words", "apiKey=***"), ("apiKey=a,b&c;d x: 1", "apiKey=*** x: 1"), ("apiKey=a,b=2", "apiKey=***,b=2"),
    ("x?apiKey=a&b=2", "x?apiKey=***&b=2"), ("(apiKey=a)", "(apiKey=***)"), ("apiKey=a\nnext", "apiKey=***\nnext"),
    ("apiKey => a", "apiKey => ***"), ("apiKey->a", "apiKey->***"), ("apiKey:=a", "apiKey:=***"),
    ("apiKey%3Dhunter2", "apiKey%3D***"), ("'apiKey': 'it''s'", "'apiKey': '***''s'"),
    (#"{"apiKey":5,"b":true}"#, #"{"apiKey":***,"b":true}"#),
    (#"{"apiKey":["a",{"b":"]"}],"c":1}"#, #"{"apiKey":***,"c":1}"#),
    (#"{"apiKey":"a\"b, c","d":1}"#, #"{"apiKey":"***","d":1}"#),
    (#"{"apiKey":"a\\","d":"e"}"#, #"{"apiKey":"***","d":"e"}"#),
    (#"{\"apiKey\": \"a \\\"b\\\" c\", \"d\": 1}"#, #"{\"apiKey\": \"***\", \"d\": 1}"#),
    (#"{"apiKey":"never ends"#, #"{"apiKey":"***"#),
    (#"[{"name": "apiKey", "value": "hunter2"}]"#, #"[{"name": "apiKey", "value": "***"}]"#),
    (#"{"value":"hunter2","name":"apiKey"},{"value":"x"}"#, #"{"value":"***","name":"apiKey"},{"value":"x"}"#),
    (#"{"name":"apiKey"},{"value":"x"}"#, #"{"name":"apiKey"},{"value":"x"}"#),
    (#"{"key":"my key","value":"hunter2"}"#, #"{"key":"my key","value":"***"}"#), ("my key: a", "my key: ***"),
    ("settings/apiKey: a", "settings/apiKey: ***"),
    // Names that only look like it.
    ("apikey=a", "apikey=a"), ("myapiKey=a", "myapiKey=a"), ("apiKey2=a", "apiKey2=a"),
    ("apiKey is set", "apiKey is set"),
    ("the apiKey", "the apiKey"), (#"{"name":"apiKey2","value":"x"}"#, #"{"name":"apiKey2","value":"x"}"#), ("", ""),
    ("=", "="),
  ]

  @Test(
    "The value of a key to scrub becomes stars in every notation; similar names keep their values", arguments: texts)
  func text(_ text: String, _ expected: String) {
    #expect(values.hidden(in: text) == expected)
    #expect(values.hidden(in: expected) == expected)
  }

  @Test("JSON members with the name of a key to scrub are hidden, and strings are searched for the key")
  func json() {
    let value: JSONValue = ["apiKey": 5, "b": [["apiKey": ["x"]], "apiKey=y"], "c": "d"]
    #expect(values.hidden(in: value) == ["apiKey": "***", "b": [["apiKey": "***"], "apiKey=***"], "c": "d"])
  }
}
