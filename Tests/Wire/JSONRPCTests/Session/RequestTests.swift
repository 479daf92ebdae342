import JSON
import JSONRPC
import TestSupport
import Testing

/// Messages and what is answered to them, in one write.
private let single: [(input: String, replies: [String])] = [
  (request("1", "echo", "[5]"), ["1: [5]"]),
  (request("1", "echo"), ["1: null"]),
  (request("1", "echo", #"{"a":{"b":[1,2]}}"#), [#"1: {"a":{"b":[1,2]}}"#]),
  (request("1", "missing"), ["1: -32601"]),
  (request("1", "fail"), ["1: 5001"]),
  (#"{"jsonrpc":"2.0","id":1,"method":"\u0065cho","params":[1]}"#, ["1: [1]"]),
  // Notifications are never answered.
  (notification("echo", "[1]"), []), (notification("fail"), []), (notification("missing"), []),
  (notification("echo", "[1e400]"), []),
  // Responses are dropped.
  (#"{"jsonrpc":"2.0","id":1,"result":5}"#, []), (#"{"jsonrpc":"2.0","id":"s1","error":{"code":1}}"#, []),
  (#"{"jsonrpc":"2.0","result":5}"#, []),
  // What is no request.
  ("1", ["null: -32600"]), (#""text""#, ["null: -32600"]), ("null", ["null: -32600"]), ("{}", ["null: -32600"]),
  (#"{"jsonrpc":"2.0","id":7}"#, ["7: -32600"]), (#"{"id":7,"method":"echo"}"#, ["7: -32600"]),
  (#"{"jsonrpc":"1.0","id":7,"method":"echo"}"#, ["7: -32600"]),
  (#"{"jsonrpc":"2.0","id":7,"method":1}"#, ["7: -32600"]),
  (request("7", "echo", "1"), ["7: -32600"]), (request("7", "echo", "null"), ["7: null"]),
  (request("true", "echo"), ["null: -32600"]), (request("{}", "echo"), ["null: -32600"]),
  (request("[1]", "echo"), ["null: -32600"]),
  (#"{"jsonrpc":"2.0","id":1,"id":2,"method":"echo"}"#, ["null: -32600"]),
  (#"{"jsonrpc":"2.0","id":1,"method":"echo","m\u0065thod":"echo"}"#, ["1: -32600"]),
  // What is no JSON.
  ("{", ["null: -32700"]), (#"{"jsonrpc":"2.0","id":1,"method":"echo","params":[1,]}"#, ["null: -32700"]),
  ("\u{FEFF}" + request("1", "echo"), ["null: -32700"]),
  // Batches.
  ("[]", ["null: -32600"]), ("[1]", ["[null: -32600]"]),
  ("[1,[],null]", ["[null: -32600, null: -32600, null: -32600]"]),
  (
    "[\(request("1", "echo", "[1]")),\(notification("fail")),2,\(request("2", "fail"))]",
    ["[1: [1], null: -32600, 2: 5001]"]
  ),
  ("[\(notification("echo")),\(notification("fail"))]", []),
  (#"[{"jsonrpc":"2.0","id":1,"result":5}]"#, []),
  ("[\(request("1", "echo")),", ["null: -32700"]),
  ("[[\(request("1", "echo"))]]", ["[null: -32600]"]),
]

/// Params that no value can hold, and the place that the error names.
private let unrepresentable: [(params: String, path: String)] = [
  ("[1e400]", "/0"), (#"{"a":[0,{"b":1e400}]}"#, "/a/1/b"), ("[12345678901234567890]", "/0"),
  (#"{"a":"\ud800"}"#, "/a"), (#"["x","\udc00\ud800"]"#, "/1"), (#"{"a/b":{"~":-1e999}}"#, "/a~1b/~0"),
  (#"{"a":1,"a":2}"#, "/a"), (#"{"o":{"x":1,"y":2,"\u0078":3}}"#, "/o/x"), (#"{"a\u0000b":1}"#, "/a\0b"),
]

@Suite("Every request gets exactly one reply", .ownThreads)
struct RequestTests {
  @Test("A session answers requests, refuses invalid messages, and ignores notifications", arguments: single)
  func singleMessage(_ input: String, _ replies: [String]) {
    let peer = Peer()
    peer.send(input)
    #expect(peer.takeReplies() == replies)
    #expect(!peer.session.isFinished)
  }

  @Test("A last line without a line feed gets the same replies as with one", arguments: single)
  func lastLine(_ input: String, _ replies: [String]) {
    let peer = Peer()
    peer.send(bytes: Array(input.utf8))
    peer.session.endOfInput()
    #expect(peer.takeReplies() == replies)
    #expect(peer.session.isFinished)
  }

  @Test("After any message, valid or not, a session answers the next one")
  func goesOn() {
    let peer = Peer()
    for (input, replies) in single {
      peer.send(input, request("\"after\"", "echo"))
      #expect(peer.takeReplies() == replies + [#""after": null"#])
    }
  }

  @Test(
    "The id of a request comes back byte for byte",
    arguments: [
      "1", "1.0", "1e2", "-0", "1E+2", "0.10", "12345678901234567890123", "null", #""""#, #""a""#, #""\u0041""#,
      #""\ud800""#, #""é😀\/\n""#, "\"" + String(repeating: "x", count: 1022) + "\"",
    ])
  func echoesID(_ id: String) {
    let peer = Peer()
    peer.send(request(id, "echo"), request(id, "fail"), later(id, "a"), request(id, "echo", "1"))
    peer.finish("a")
    let lines = peer.takeLines()
    #expect(lines.count == 4)
    #expect(lines.allSatisfy { $0.hasPrefix(#"{"jsonrpc":"2.0","id":\#(id),"#) })
  }

  @Test("An id of more than 1,024 bytes is refused")
  func longID() {
    let peer = Peer()
    peer.send(request("\"" + String(repeating: "x", count: 1023) + "\"", "echo"))
    #expect(peer.takeReplies() == ["null: -32600"])
  }

  @Test("Params with a value that cannot be represented fail with -32602 and its path", arguments: unrepresentable)
  func unrepresentableParams(_ params: String, _ path: String) throws {
    let peer = Peer()
    peer.send(request("1", "echo", params))
    let error = try #require(try JSONValue(parsing: peer.takeOutput())["error"])
    #expect(error["code"] == -32602)
    #expect(error["data"]?["path"] == .string(path))
    #expect(error["data"]?["name"] == "invalidParams")
    #expect(peer.handler.calls.withLock { $0 }.isEmpty)
  }

  @Test("An error reply has a code, a message, and data with name, retryable and details")
  func errorShape() {
    let peer = Peer()
    peer.send(request("1", "fail"))
    let data = #"{"name":"fileMissing","retryable":false,"errno":2}"#
    let error = #"{"code":5001,"message":"no such file","data":\#(data)}"#
    #expect(peer.takeOutput() == #"{"jsonrpc":"2.0","id":1,"error":\#(error)}"# + "\n")
  }

  @Test("Methods with long, similar names are told apart, however often they are called")
  func methodNames() {
    let peer = Peer()
    let names = (0..<200).map { "namespace.someRatherLongMethodName\($0)" } + ["policy.isSaveToAllowed\\u0041Location"]
    for name in names + names.reversed() { peer.send(request("1", name), request("1", name)) }
    let expected = (names + names.reversed()).flatMap { [$0, $0] }
    #expect(peer.handler.calls.withLock { $0 } == expected.map { $0.replacing("\\u0041", with: "A") })
  }
}
