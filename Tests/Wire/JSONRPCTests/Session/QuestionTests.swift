import JSONRPC
import TestSupport
import Testing

private func question(_ id: String) -> String {
  #"{"jsonrpc":"2.0","id":"\#(id)","method":"host.q","params":[1]}"#
}

private func answer(_ id: String, _ members: String = #""result":1"#) -> String {
  #"{"jsonrpc":"2.0","id":\#(id),\#(members)}"#
}

/// What a host may answer, and what becomes of it.
private let answers: [(members: String, outcome: String)] = [
  (#""result":{"a":1}"#, #"result {\"a\":1}"#), (#""result":null"#, "result null"), (#""result":[]"#, "result []"),
  (#""error":{"code":5,"message":"no"}"#, "failure 5 no"), (#""error":{}"#, "failure -32603 "),
  (#""error":"text""#, "failure -32603 "), (#""error":null"#, "failure -32603 "),
  (#""error":{"code":"x","message":7}"#, "failure -32603 "), (#""error":{"code":1.5}"#, "failure -32603 "),
  (#""result":1,"error":null"#, "result 1"), (#""result":null,"error":{"code":5,"message":"no"}"#, "failure 5 no"),
  (#""result":1e400"#, "unanswered"), (#""result":"\ud800""#, "unanswered"), (#""error":{"code":1e400}"#, "unanswered"),
]

/// What answers nothing, and what is replied to it.
private let strays: [(message: String, replies: [String])] = [
  (answer(#""s2""#), []), (answer(#""S1""#), []), (answer("1"), []), (answer("null"), []), (answer(#""""#), []),
  (#"{"jsonrpc":"2.0","result":1}"#, []), (#"{"id":"s1","result":1}"#, [#""s1": -32600"#]),
  (#"{"jsonrpc":"2.0","id":"s1"}"#, [#""s1": -32600"#]),
]

@Suite("Requests that a session sends to the host", .timeLimit(.minutes(5)), .ownThreads)
struct QuestionTests {
  /// A host that has been asked s1 by its request 1.
  private static func asked(_ steps: [String] = ["ask host.q"], _ members: String = "") -> Peer {
    let peer = makeHost()
    peer.send(JSONRPCTests.steps("1", steps, members))
    #expect(peer.nextLines(1) == [question("s1")])
    return peer
  }

  @Test("Requests to the host have the ids s1, s2 and so on, and can be answered in any order")
  func ids() {
    let peer = Self.asked()
    peer.send(steps("2", ["ask host.q"]))
    #expect(peer.nextLines(1) == [question("s2")])
    peer.send(answer(#""s2""#, #""result":"b""#))
    #expect(peer.nextReplies(1) == [#"2: "result \"b\"""#])
    peer.send(answer(#""s\u0031""#, #""result":"a""#))
    #expect(peer.nextReplies(1) == [#"1: "result \"a\"""#])
  }

  @Test("A host's reply is a result or an error, and an unreadable one counts as no reply", arguments: answers)
  func outcome(_ members: String, _ outcome: String) {
    let peer = Self.asked()
    peer.send(answer(#""s1""#, members))
    #expect(peer.lastReplies() == [#"1: "\#(outcome)""#])
  }

  @Test("A reply to no open request is dropped, and the right reply still counts", arguments: strays)
  func stray(_ message: String, _ replies: [String]) {
    let peer = Self.asked()
    peer.send(message)
    #expect(peer.takeReplies() == replies)
    peer.send(answer(#""s1""#))
    #expect(peer.nextReplies(1) == [#"1: "result 1""#])
  }

  @Test("Only the host's first reply to a request counts, even in a batch")
  func twice() {
    let peer = Self.asked()
    peer.send("[\(answer(#""s1""#)),\(answer(#""s1""#, #""result":2"#))]", answer(#""s1""#, #""result":3"#))
    #expect(peer.lastReplies() == [#"1: "result 1""#])
  }

  @Test("Each dropped reply of the host is reported with its id, its request and the reason")
  func told() {
    let peer = Self.asked(["ask host.q"], #""timeout":20"#)
    peer.send(answer(#""s9""#), answer("7"))
    #expect(peer.nextReplies(1) == [#"1: "unanswered""#])
    peer.send(answer(#""s1""#), steps("2", ["ask host.r"]))
    #expect(peer.nextLines(1).count == 1)
    peer.send(answer(#""s2""#), answer(#""s2""#))
    #expect(peer.nextReplies(1) == [#"2: "result 1""#])
    let strays = peer.handler.strays.withLock { $0.map { "\($0.id) \($0.method ?? "none") \($0.fault)" } }
    #expect(strays == ["s9 none unknown", "7 none unknown", "s1 host.q late", "s2 host.r again"])
  }

  @Test("A request to the host ends without an answer when its time is over; a late reply is dropped")
  func never() {
    let peer = Self.asked(["ask host.q"], #""timeout":20"#)
    #expect(peer.nextReplies(1) == [#"1: "unanswered""#])
    peer.send(answer(#""s1""#), request("2", "echo"))
    #expect(peer.lastReplies() == ["2: null"])
  }

  @Test("A request to the host with a timeout of zero ends at once without an answer")
  func noTime() {
    let peer = makeHost()
    for id in 1...50 { peer.send(steps("\(id)", ["ask host.q"], #""timeout":0"#)) }
    var replies: [String] = []
    while replies.count < 50 { replies += peer.nextLines(1).filter { !$0.contains("host.q") } }
    #expect(replies.allSatisfy { $0.contains("unanswered") })
  }

  @Test("At the end of input, open and later requests to the host end without an answer")
  func endOfInput() {
    let peer = Self.asked(["ask host.q", "wait a", "ask host.q"])
    peer.send(steps("2", ["ask host.q"]))
    #expect(peer.nextLines(1) == [question("s2")])
    peer.send(bytes: Array(answer(#""s2""#).utf8))
    peer.session.endOfInput()
    #expect(peer.nextReplies(1) == [#"2: "result 1""#])
    peer.release("a")
    #expect(peer.lastReplies() == [#"1: "unanswered""#])
  }

  @Test("When the connection closes, open and later requests to the host end without an answer")
  func gone() {
    let peer = Self.asked(["ask host.q", "note first", "ask host.q", "note second"])
    peer.session.discardOutput()
    peer.wait(for: "second")
    #expect(peer.lastReplies() == [])
  }

  @Test("Abandoning a session ends its open requests to the host")
  func abandoned() {
    let peer = Self.asked(["ask host.q", "note first"])
    peer.session.abandon()
    #expect(peer.takeReplies() == ["1: -32002"])
    peer.wait(for: "first")
  }

  @Test("Cancelling a call ends its open and later requests to the host")
  func cancelled() {
    let peer = Self.asked(["ask host.q", "ask host.q", "note done"])
    peer.send(cancel("1"))
    #expect(peer.takeReplies() == ["1: -32800"])
    peer.wait(for: "done")
    peer.send(answer(#""s1""#), answer(#""s2""#))
    #expect(peer.lastReplies() == [])
  }

  @Test("Without initialize, a host can answer a request of a call while later calls wait")
  func script() {
    let peer = Peer()
    peer.send(steps("1", ["ask host.q"]), request("2", "echo"))
    #expect(peer.nextLines(1) == [question("s1")])
    peer.send(answer(#""s1""#))
    #expect(peer.nextReplies(2) == [#"1: "result 1""#, "2: null"])
  }

  @Test("A request to the host waits for room in the output, and is not sent if its time runs out")
  func noRoom() {
    var limits = SessionLimits()
    limits.outputBytes = 100
    let peer = makeHost(limits: limits)
    peer.send(request("1", "big", "[200]"))
    let asker = peer.handler.peer.withLock { $0 }
    peer.handler.ask("host.q", .zero, of: asker, saying: "first")
    peer.wait(for: "first unanswered")
    peer.handler.ask("host.q", .seconds(60), of: asker, saying: "second")
    #expect(peer.takeReplies() == [#"1: "\#(String(repeating: "x", count: 200))""#])
    #expect(peer.nextLines(1) == [question("s2")])
    peer.send(answer(#""s2""#))
    peer.wait(for: "second result 1")
  }
}
