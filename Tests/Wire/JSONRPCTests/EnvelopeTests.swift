import Testing

@testable import JSONRPC

@Suite("An envelope is classified by the rules of JSON-RPC 2.0")
struct EnvelopeTests {
  @Test(
    "A valid JSON-RPC envelope with a method is a request if it has an id, and else a notification",
    arguments: [
      (#"{"jsonrpc":"2.0","method":"m","id":1}"#, "request m - id=1"),
      (#"{"jsonrpc":"2.0","method":"m","params":{"a":1},"id":1}"#, #"request m {"a":1} id=1"#),
      (#"{"jsonrpc":"2.0","method":"m","params":[1, 2],"id":1}"#, "request m [1, 2] id=1"),
      (#" { "id" : 7 , "params" : [ ] , "method" : "a.b" , "jsonrpc" : "2.0" } "#, "request a.b [ ] id=7"),
      (#"{"jsonrpc":"2.0","method":"m"}"#, "notification m -"),
      (#"{"jsonrpc":"2.0","method":"m","params":{}}"#, "notification m {}"),
      (#"{"jsonrpc":"2.0","method":"","id":1}"#, "request  - id=1"),
      // Null params are no params, as many serializers write them.
      (#"{"jsonrpc":"2.0","method":"m","params":null,"id":1}"#, "request m - id=1"),
      (#"{"jsonrpc":"2.0","method":"m","params" : null ,"id":null}"#, "request m - id=null"),
      (#"{"jsonrpc":"2.0","par\u0061ms":null,"method":"m"}"#, "notification m -"),
      // Unknown members mean nothing, whatever they hold and however often; nor do these in a request.
      (#"{"jsonrpc":"2.0","x":{"id":2,"method":1},"method":"m","x":[],"id":1,"":0}"#, "request m - id=1"),
      (#"{"jsonrpc":"2.0","method":"m","id":1,"ID":2,"Method":3,"ids":4,"methods":5}"#, "request m - id=1"),
      (#"{"jsonrpc":"2.0","method":"m","id":1,"result":1,"error":2}"#, "request m - id=1"),
      // Names and the version are compared unescaped.
      (#"{"\u006asonrpc":"\u0032.0","\u006D\u0065thod":"m","\u0069d":1,"para\u006ds":[]}"#, "request m [] id=1"),
      (#"{"jsonrpc":"2.0","method":"\u006d\/\n","id":1}"#, "request m/\n - id=1"),
      (#"{"jsonrpc":"2.0","method":"m","id\u0000":2,"id ":3}"#, "notification m -"),
    ])
  func calls(_ text: String, _ expected: String) {
    #expect(described(text) == expected)
  }

  @Test(
    "The id of a JSON-RPC request is echoed byte for byte",
    arguments: [
      "0", "-1", "1.50", "1e2", "1E+400", "123456789012345678901234567890", "null", #""""#, #""a""#, #""\u0061\/\n""#,
      #""é\ud800""#, "-0.0",
    ])
  func echoes(_ id: String) {
    #expect(described(#"{"jsonrpc":"2.0","method":"m","id":\#(id) }"#) == "request m - id=\(id)")
    #expect(described(#"{"jsonrpc":"1.0","method":"m","id":\#(id) }"#) == "invalid version id=\(id)")
  }

  @Test(
    "An invalid JSON-RPC envelope keeps its id only if it has exactly one valid id",
    arguments: [
      // The id.
      (#"{"jsonrpc":"2.0","method":"m","id":true}"#, "invalid idType id=-"),
      (#"{"jsonrpc":"2.0","method":"m","id":false}"#, "invalid idType id=-"),
      (#"{"jsonrpc":"2.0","method":"m","id":{}}"#, "invalid idType id=-"),
      (#"{"jsonrpc":"2.0","method":"m","id":[1]}"#, "invalid idType id=-"),
      (#"{"jsonrpc":"2.0","result":1,"id":[1]}"#, "invalid idType id=-"),
      // The version.
      (#"{"method":"m","id":1}"#, "invalid version id=1"),
      (#"{"method":"m"}"#, "invalid version id=-"),
      (#"{"jsonrpc":"1.0","method":"m","id":1}"#, "invalid version id=1"),
      (#"{"jsonrpc":"2.00","method":"m","id":1}"#, "invalid version id=1"),
      (#"{"jsonrpc":"2","method":"m","id":1}"#, "invalid version id=1"),
      (#"{"jsonrpc":"","method":"m","id":1}"#, "invalid version id=1"),
      (#"{"jsonrpc":"2.0\u0000","method":"m","id":1}"#, "invalid version id=1"),
      (#"{"jsonrpc":"2.0000000000","method":"m","id":1}"#, "invalid version id=1"),
      (#"{"jsonrpc":2.0,"method":"m","id":1}"#, "invalid version id=1"),
      (#"{"jsonrpc":null,"method":"m","id":1}"#, "invalid version id=1"),
      (#"{"jsonrpc":["2.0"],"method":"m","id":"x"}"#, #"invalid version id="x""#),
      // The method.
      (#"{"jsonrpc":"2.0","id":1}"#, "invalid methodMissing id=1"),
      (#"{"jsonrpc":"2.0"}"#, "invalid methodMissing id=-"),
      (#"{}"#, "invalid version id=-"),
      (#"{"foo":"boo"}"#, "invalid version id=-"),
      (#"{"jsonrpc":"2.0","params":[]}"#, "invalid methodMissing id=-"),
      (#"{"jsonrpc":"2.0","method":1,"params":"bar"}"#, "invalid methodType id=-"),
      (#"{"jsonrpc":"2.0","method":null,"id":1}"#, "invalid methodType id=1"),
      (#"{"jsonrpc":"2.0","method":["m"],"id":1}"#, "invalid methodType id=1"),
      (#"{"jsonrpc":"2.0","method":1,"result":1,"id":1}"#, "invalid methodType id=1"),
      // The params; without an id it is no notification either.
      (#"{"jsonrpc":"2.0","method":"m","params":1,"id":1}"#, "invalid paramsType id=1"),
      (#"{"jsonrpc":"2.0","method":"m","params":"[]","id":1}"#, "invalid paramsType id=1"),
      (#"{"jsonrpc":"2.0","method":"m","params":true,"id":null}"#, "invalid paramsType id=null"),
      (#"{"jsonrpc":"2.0","method":"m","params":"null","id":1}"#, "invalid paramsType id=1"),
      (#"{"jsonrpc":"2.0","params":null,"id":1}"#, "invalid methodMissing id=1"),
      (#"{"jsonrpc":"2.0","method":"m","params":null,"params":null,"id":1}"#, "invalid duplicateMember id=1"),
      (#"{"jsonrpc":"2.0","method":"m","params":"bar"}"#, "invalid paramsType id=-"),
      // Members that are there twice.
      (#"{"jsonrpc":"2.0","method":"m","id":1,"id":1}"#, "invalid duplicateMember id=-"),
      (#"{"jsonrpc":"2.0","method":"m","id":1,"\u0069d":2}"#, "invalid duplicateMember id=-"),
      (#"{"jsonrpc":"2.0","method":"m","id":1,"id":true}"#, "invalid duplicateMember id=-"),
      (#"{"jsonrpc":"2.0","method":"m","method":"m","id":1}"#, "invalid duplicateMember id=1"),
      (#"{"jsonrpc":"2.0","jsonrpc":"2.0","method":"m","id":1}"#, "invalid duplicateMember id=1"),
      (#"{"jsonrpc":"2.0","method":"m","params":[],"params":{},"id":1}"#, "invalid duplicateMember id=1"),
      (#"{"jsonrpc":"2.0","result":1,"result":2,"id":1}"#, "invalid duplicateMember id=1"),
      (#"{"jsonrpc":"2.0","error":{},"err\u006fr":{},"id":1}"#, "invalid duplicateMember id=1"),
      (#"{"jsonrpc":"2.0","method":"m","method":"m","id":[]}"#, "invalid duplicateMember id=-"),
      (#"{"jsonrpc":"2.0","method":"m","method":"m"}"#, "invalid duplicateMember id=-"),
      // No objects at all.
      ("1", "invalid notAnObject id=-"), ("null", "invalid notAnObject id=-"), (#""m""#, "invalid notAnObject id=-"),
      ("[]", "invalid emptyBatch id=-"), (" [ ] ", "invalid emptyBatch id=-"),
    ])
  func invalid(_ text: String, _ expected: String) {
    #expect(described(text) == expected)
  }

  @Test(
    "A JSON-RPC envelope with a result or an error and no method is a response",
    arguments: [
      (#"{"jsonrpc":"2.0","result":1,"id":"s1"}"#, #"response id="s1" result=1 error=-"#),
      (#"{"jsonrpc":"2.0","error":{"code":1},"id":"s1"}"#, #"response id="s1" result=- error={"code":1}"#),
      (#"{"jsonrpc":"2.0","result":null,"id":null}"#, "response id=null result=null error=-"),
      (#"{"jsonrpc":"2.0","result":1}"#, "response id=- result=1 error=-"),
      (#"{"jsonrpc":"2.0","result":1,"error":null,"id":2}"#, "response id=2 result=1 error=null"),
      (#"{"jsonrpc":"2.0","result":1,"params":7,"id":2}"#, "response id=2 result=1 error=-"),
      (#"{"result":1,"id":2}"#, "invalid version id=2"),
    ])
  func responses(_ text: String, _ expected: String) {
    #expect(described(text) == expected)
  }

  @Test(
    "Each element of a JSON-RPC batch is classified as it would be alone",
    arguments: [
      (#"[{"jsonrpc":"2.0","method":"m","id":1}]"#, "[request m - id=1]"),
      ("[1,2 , 3]", "[invalid notAnObject id=-; invalid notAnObject id=-; invalid notAnObject id=-]"),
      ("[[]]", "[invalid notAnObject id=-]"),
      (
        #"[{"jsonrpc":"2.0","method":"m","params":null,"id":1},{"jsonrpc":"2.0","method":"m","params":null}]"#,
        "[request m - id=1; notification m -]"
      ),
      (
        #"[[{"jsonrpc":"2.0","method":"m","id":1}],{},null]"#,
        "[invalid notAnObject id=-; invalid version id=-; invalid notAnObject id=-]"
      ),
      (
        #" [ {"jsonrpc":"2.0","method":"m"} , {"jsonrpc":"2.0","result":1,"id":"s1"},{"jsonrpc":"2.0","id":5} ] "#,
        #"[notification m -; response id="s1" result=1 error=-; invalid methodMissing id=5]"#
      ),
      (#"[{"jsonrpc":"2.0","method":"m","id":1},{"#, "syntax"),
      (#"[{"jsonrpc":"2.0","method":"m","id":1},]"#, "syntax"),
      (#"[{"jsonrpc":"2.0","method":"m","id":1}]]"#, "syntax"),
    ])
  func batches(_ text: String, _ expected: String) {
    #expect(described(text) == expected)
  }

  @Test(
    "A message that is not JSON is a syntax error without an id, wherever it breaks",
    arguments: [
      #"{"jsonrpc":"2.0","method":"m","id":1"#, #"{"jsonrpc":"2.0","method":"m","id":1}}"#,
      #"{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]"#, #"{"id":1,"x":01}"#,
    ])
  func notJSON(_ text: String) {
    #expect(described(text) == "syntax")
  }

  @Test("Packing the name of an envelope member gives its raw value")
  func packedNames() {
    for member in EnvelopeMember.allCases {
      let name = Array("\(member)".utf8)
      #expect(name.withUnsafeBufferPointer { PackedText.pack($0, hasEscapes: false) } == member.rawValue)
    }
  }
}
