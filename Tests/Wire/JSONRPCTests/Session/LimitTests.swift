import JSON
import JSONRPC
import TestSupport
import Testing

@Suite("Exceeded limits of a session", .timeLimit(.minutes(5)), .ownThreads)
struct SessionLimitTests {
  private static func limits(_ change: (inout SessionLimits) -> Void) -> SessionLimits {
    var limits = SessionLimits()
    change(&limits)
    return limits
  }

  private static func data(_ line: String?) -> JSONValue? {
    line.flatMap { try? JSONValue(parsing: $0) }?["error"]?["data"]
  }

  @Test("A message with too many bytes fails with -32004, and the next one is answered", arguments: [false, true])
  func message(_ withHeaders: Bool) throws {
    let peer = Peer(limits: Self.limits { $0.messageBytes = 80 })
    let long = request("1", "echo", "[\"" + String(repeating: "x", count: 80) + "\"]")
    let messages = [request("0", "echo"), long, long, request("2", "echo")]
    peer.send(bytes: messages.flatMap { withHeaders ? framed($0) : Array("\($0)\n".utf8) })
    let bodies = withHeaders ? unframed(peer.takeOutput()) : peer.takeLines()
    #expect(bodies.map(summary(ofLine:)) == ["0: null", "null: -32004", "null: -32004", "2: null"])
    #expect(Self.data(bodies[1])?["limit"] == "message")
    #expect(Self.data(bodies[1])?["value"] == 80)
    #expect(Self.data(bodies[1])?["retryable"] == false)
  }

  @Test("A message with too many bytes is answered before its end arrives")
  func earlyAnswer() {
    let peer = Peer(limits: Self.limits { $0.messageBytes = 80 })
    peer.send(bytes: [UInt8](repeating: UInt8(ascii: "["), count: 82))
    #expect(peer.takeReplies() == ["null: -32004"])
    peer.send(bytes: [UInt8](repeating: UInt8(ascii: "["), count: 1000))
    peer.send("]", request("1", "echo"))
    #expect(peer.takeReplies() == ["1: null"])
  }

  @Test("A message with too much nesting, values or elements fails with -32004, and the next is answered")
  func scan() {
    let peer = Peer(limits: Self.limits { $0.scan = ScanLimits(nesting: 3, values: 20, batch: 2) })
    peer.send(
      request("1", "echo", "[[]]"), request("2", "echo", "[[[]]]"),
      request("3", "echo", "[" + String(repeating: "1,", count: 20) + "1]"), "[1,2]", "[1,2,3]", request("4", "echo"))
    let expected = ["1: [[]]", "2: -32004", "3: -32004", "[null: -32600, null: -32600]", "null: -32004", "4: null"]
    #expect(peer.takeReplies() == expected)
  }

  @Test("A reply with too many bytes is replaced by the error -32004")
  func reply() throws {
    let peer = Peer(limits: Self.limits { $0.replyBytes = 100 })
    peer.send(request("1", "big", "[200]"), request("2", "big", "[5]"), later("3", "a"), notification("big", "[200]"))
    peer.finish("a", .success(Array("\"\(String(repeating: "x", count: 200))\"".utf8)))
    let lines = peer.takeLines()
    #expect(lines.map(summary(ofLine:)) == ["1: -32004", #"2: "xxxxx""#, "3: -32004"])
    #expect(Self.data(lines.first)?["limit"] == "reply")
    #expect(Self.data(lines.first)?["value"] == 100)
  }

  @Test("A reply of exactly the limit is sent, and a reply of one byte more becomes -32004")
  func replyAtTheLimit() {
    let size = #"{"jsonrpc":"2.0","id":1,"result":""}"#.utf8.count
    let peer = Peer(limits: Self.limits { $0.replyBytes = size + 7 })
    peer.send(request("1", "big", "[7]"), request("1", "big", "[8]"))
    #expect(peer.takeReplies() == [#"1: "xxxxxxx""#, "1: -32004"])
  }

  @Test("In the reply to a batch, elements beyond the allowed bytes become -32004")
  func batchReply() {
    let peer = Peer(limits: Self.limits { $0.replyBytes = 300 })
    let elements = (1...5).map { request("\($0)", "big", "[80]") }
    peer.send("[" + elements.joined(separator: ",") + "]", request("6", "echo"))
    let text = "\"" + String(repeating: "x", count: 80) + "\""
    #expect(peer.takeReplies() == ["[1: \(text), 2: \(text), 3: -32004, 4: -32004, 5: -32004]", "6: null"])
  }

  @Test("The server stops reading while too many requests wait, and resumes when they are answered")
  func waitingCount() {
    let peer = Peer(limits: Self.limits { $0.waitingRequests = 4 })
    peer.send(later("0", "a"), request("1", "echo"), request("2", "echo"), request("3", "echo"))
    #expect(peer.session.wantsInput)
    peer.send(request("4", "echo"))
    #expect(!peer.session.wantsInput)
    peer.send(request("5", "echo"), request("6", "echo"))
    peer.finish("a")
    #expect(peer.session.wantsInput)
    #expect(peer.takeReplies() == ["0: true"] + (1...6).map { "\($0): null" })
  }

  @Test("The server stops reading while too many bytes wait, and resumes when they are answered")
  func waitingBytes() {
    let peer = Peer(limits: Self.limits { $0.waitingBytes = 200 })
    let long = request("1", "echo", "[\"" + String(repeating: "x", count: 180) + "\"]")
    peer.send(later("0", "a"))
    #expect(peer.session.wantsInput)
    peer.send(long)
    #expect(!peer.session.wantsInput)
    peer.finish("a")
    #expect(peer.session.wantsInput)
    #expect(peer.takeReplies().count == 2)
  }

  @Test("A session that always has waiting requests answers all of them in order")
  func alwaysWaiting() {
    let peer = Peer(limits: Self.limits { $0.waitingRequests = 8 })
    for index in 0..<5 { peer.send(later("\(index)", "\(index)")) }
    for index in 5..<500 {
      peer.send(later("\(index)", "\(index)"))
      peer.finish("\(index - 5)")
    }
    #expect(peer.takeReplies() == (0..<495).map { "\($0): true" })
  }

  @Test("When the output is full, the server stops reading and working until there is room")
  func output() {
    let peer = Peer(limits: Self.limits { $0.outputBytes = 100 })
    for index in 0..<20 { peer.send(request("\(index)", "echo")) }
    #expect(!peer.session.wantsInput)
    #expect(peer.handler.calls.withLock { $0 }.count == 3)
    peer.session.consumeOutput(1)
    #expect(peer.handler.calls.withLock { $0 }.count == 3)
    peer.session.consumeOutput(50)
    #expect(peer.handler.calls.withLock { $0 }.count == 4)
    var lines: [String] = []
    while peer.session.hasOutput { lines += peer.takeReplies() }
    #expect(lines.suffix(17) == (3..<20).map { "\($0): null" })
    #expect(peer.session.wantsInput)
  }

  @Test("When the output is full, a batch waits until the host reads")
  func outputAndBatch() {
    let peer = Peer(limits: Self.limits { $0.outputBytes = 30 })
    peer.send(request("0", "echo"), "[\(request("1", "echo")),\(later("2", "a"))]", request("3", "echo"))
    #expect(peer.handler.calls.withLock { $0 } == ["echo"])
    #expect(peer.takeReplies() == ["0: null"])
    peer.finish("a")
    #expect(peer.takeReplies() == ["[1: null, 2: true]"])
    #expect(peer.takeReplies() == ["3: null"])
  }

  @Test("An invalid frame header is one error, after which the session ends as at the end of input")
  func brokenHeader() {
    let peer = Peer()
    peer.send(bytes: framed(later("1", "a")) + Array("Content-Length: x\r\n\r\n".utf8) + framed(request("2", "echo")))
    #expect(!peer.session.inputIsOpen)
    #expect(!peer.session.isFinished)
    peer.finish("a")
    #expect(unframed(peer.takeOutput()).map(summary(ofLine:)) == ["1: true", "null: -32700"])
    #expect(peer.session.isFinished)
  }
}
