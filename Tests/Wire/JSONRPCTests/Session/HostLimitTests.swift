import JSON
import JSONRPC
import Support
import TestSupport
import Testing

/// How far a message goes: the limit itself, one more, far more.
private let distances: [(over: Int, passes: Bool)] = [(0, true), (1, false), (100_000, false)]

@Suite("Messages at a limit, one over and far over, in both framings", .timeLimit(.minutes(5)), .ownThreads)
struct LimitDistanceTests {
  private static let limits: SessionLimits = {
    var limits = SessionLimits()
    limits.scan = ScanLimits(nesting: 20, values: 50, batch: 10)
    limits.messageBytes = 2 << 20
    return limits
  }()

  /// The reply to the message, and that the stream goes on.
  private static func reply(to message: String, limits: SessionLimits = limits, withHeaders: Bool) -> JSONValue? {
    let peer = Peer(limits: limits)
    let messages = [message, request("\"after\"", "echo")]
    peer.send(bytes: messages.flatMap { withHeaders ? framed($0) : Array("\($0)\n".utf8) })
    let bodies = withHeaders ? unframed(peer.takeOutput()) : peer.takeLines()
    #expect(bodies.count == 2)
    #expect(bodies.last.map(summary(ofLine:)) == #""after": null"#)
    return bodies.first.flatMap { try? JSONValue(parsing: $0) }
  }

  private static func check(_ reply: JSONValue?, _ name: String, _ value: Int64, passes: Bool) {
    #expect((reply?["error"] == nil) == passes)
    guard !passes else { return }
    #expect(reply?["error"]?["code"] == -32004)
    #expect(reply?["error"]?["data"]?["limit"] == .string(name))
    #expect(reply?["error"]?["data"]?["value"] == .integer(value))
  }

  @Test("A message nested too deeply fails with -32004 and keeps its id", arguments: distances, [false, true])
  func nesting(_ distance: (over: Int, passes: Bool), _ withHeaders: Bool) {
    let depth = 19 + distance.over
    let params = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    let reply = Self.reply(to: request("7", "echo", params), withHeaders: withHeaders)
    Self.check(reply, "nesting", 20, passes: distance.passes)
    #expect(reply?["id"] == 7)
  }

  @Test("A message with too many values fails with -32004 and keeps its id", arguments: distances, [false, true])
  func values(_ distance: (over: Int, passes: Bool), _ withHeaders: Bool) {
    let params = "[" + [String](repeating: "1", count: 45 + distance.over).joined(separator: ",") + "]"
    let reply = Self.reply(to: request("7", "echo", params), withHeaders: withHeaders)
    Self.check(reply, "values", 50, passes: distance.passes)
    #expect(reply?["id"] == 7)
  }

  @Test("A batch with more elements than the limit fails with -32004", arguments: distances, [false, true])
  func batch(_ distance: (over: Int, passes: Bool), _ withHeaders: Bool) {
    let message = "[" + [String](repeating: "1", count: 10 + distance.over).joined(separator: ",") + "]"
    let reply = Self.reply(to: message, withHeaders: withHeaders)
    #expect(reply?.arrayValue?.count == (distance.passes ? 10 : nil))
    Self.check(reply, "batch", 10, passes: distance.passes)
  }

  @Test("A message with more bytes than the limit fails with -32004", arguments: distances, [false, true])
  func message(_ distance: (over: Int, passes: Bool), _ withHeaders: Bool) {
    var limits = SessionLimits()
    limits.messageBytes = 200
    let plain = request("7", "echo", "[\"\"]").utf8.count
    let text = String(repeating: "x", count: 200 + distance.over - plain)
    let reply = Self.reply(to: request("7", "echo", "[\"\(text)\"]"), limits: limits, withHeaders: withHeaders)
    Self.check(reply, "message", 200, passes: distance.passes)
  }

  @Test("A reply with more bytes than the limit becomes -32004 and keeps its id", arguments: distances, [false, true])
  func reply(_ distance: (over: Int, passes: Bool), _ withHeaders: Bool) {
    var limits = SessionLimits()
    limits.replyBytes = 200
    let plain = #"{"jsonrpc":"2.0","id":7,"result":""}"#.utf8.count
    let message = request("7", "big", "[\(200 + distance.over - plain)]")
    let reply = Self.reply(to: message, limits: limits, withHeaders: withHeaders)
    Self.check(reply, "reply", 200, passes: distance.passes)
    #expect(reply?["id"] == 7)
  }
}

@Suite("Limits of requests in flight", .timeLimit(.minutes(5)), .ownThreads)
struct InFlightTests {
  private static func host(_ count: Int) -> Peer {
    var limits = SessionLimits()
    limits.inFlight = count
    return makeHost(limits: limits)
  }

  @Test("1,024 requests can be in flight; more fail with -32004, and the server goes on reading")
  func host() {
    let peer = makeHost()
    for id in 1...1024 { peer.send(steps("\(id)", ["wait n\(id)"], #""queue":"q""#)) }
    #expect(peer.takeReplies() == [])
    peer.send(steps("1025", ["note never"]))
    let data = peer.takeLines().first.flatMap { try? JSONValue(parsing: $0) }?["error"]?["data"]
    #expect(data == ["name": "limitExceeded", "retryable": true, "limit": "inFlight", "value": 1024])
    for id in 1026...3000 { peer.send(steps("\(id)", ["note never"])) }
    #expect(peer.takeReplies() == (1026...3000).map { "\($0): -32004" })
    #expect(peer.session.wantsInput)
    peer.send(request(#""a""#, "echo"), cancel("1024"), cancel("1"))
    #expect(peer.takeReplies() == [#""a": null"#, "1024: -32800", "1: -32800"])
    peer.send(steps("3001", ["wait z"]), steps("3002", []))
    #expect(peer.takeReplies() == ["3002: -32004"])
    peer.release("z")
    #expect(peer.nextReplies(1) == ["3001: true"])
    for id in 1...1023 { peer.release("n\(id)") }
    #expect(peer.lastReplies() == (2...1023).map { "\($0): true" })
    #expect(peer.handler.log.withLock { $0 } == [])
  }

  @Test("Beyond the limit on requests in flight, a notification is dropped and a batch element is -32004")
  func kinds() {
    let peer = Self.host(2)
    peer.send(notification("steps", stepParams(["wait a"])), "[\(steps("1", ["wait b"])),\(steps("2", []))]")
    peer.send(notification("steps", stepParams(["note never"])), steps("3", []))
    #expect(peer.takeReplies() == ["3: -32004"])
    peer.release("a", "b")
    #expect(peer.lastReplies() == ["[1: true, 2: -32004]"])
    #expect(peer.handler.log.withLock { $0 } == [])
  }

  @Test("Without initialize, calls that wait for events count toward the limit on requests in flight")
  func script() {
    var limits = SessionLimits()
    limits.inFlight = 3
    let peer = Peer(limits: limits)
    for id in 1...5 { peer.send(steps("\(id)", ["event n\(id)"], #""isWaiting":true"#)) }
    peer.send(request("6", "echo"))
    #expect(peer.takeReplies() == ["4: -32004", "5: -32004", "6: null"])
    peer.release("n2")
    #expect(peer.nextReplies(1) == ["2: true"])
    peer.send(later("7", "a"))
    peer.finish("a")
    #expect(peer.takeReplies() == ["7: true"])
    #expect(peer.lastReplies().sorted() == [#"1: "nothing yet""#, #"3: "nothing yet""#])
  }

  @Test("Each element of a waiting batch counts toward the limit of waiting requests")
  func waitingElements() {
    var limits = SessionLimits()
    limits.waitingRequests = 6
    let peer = Peer(limits: limits)
    let batch = "[\(request("1", "echo")),\(notification("echo")),3]"
    peer.send(later("0", "a"), batch, request("4", "echo"), request("5", "echo"))
    #expect(peer.session.wantsInput)
    peer.send(batch)
    #expect(!peer.session.wantsInput)
    peer.send(cancel("9"))
    peer.finish("a")
    #expect(peer.session.wantsInput)
    let array = "[1: null, null: -32600]"
    #expect(peer.takeReplies() == ["0: true", array, "4: null", "5: null", array])
  }

  @Test("The server stops reading when params in flight reach the limit of bytes, until a request ends")
  func bytes() {
    let params = stepParams(["wait a"])
    for (limit, isOpen) in [(params.utf8.count + 1, true), (params.utf8.count, false)] {
      var limits = SessionLimits()
      limits.inFlightBytes = limit
      let peer = makeHost(limits: limits)
      peer.send(request("1", "steps", params))
      #expect(peer.session.wantsInput == isOpen)
      peer.send(request("2", "echo"))
      #expect(peer.takeReplies() == (isOpen ? ["2: null"] : []))
      peer.release("a")
      #expect(peer.nextReplies(isOpen ? 1 : 2) == ["1: true"] + (isOpen ? [] : ["2: null"]))
      #expect(peer.session.wantsInput)
    }
  }

  @Test("No work starts for a host that does not read, until it reads")
  func unread() async {
    var limits = SessionLimits()
    limits.outputBytes = 2000
    let peer = makeHost(limits: limits)
    peer.send(request("0", "big", "[1500]"))
    for id in 1...20 { peer.send(steps("\(id)", ["note \(id)"])) }
    for _ in 0..<20 { await Task(executorPreference: BlockingExecutor.shared) {}.value }
    #expect(peer.handler.log.withLock { $0 } == [])
    #expect(peer.takeReplies().count == 1)
    #expect(Set(peer.nextReplies(20)) == Set((1...20).map { "\($0): true" }))
  }

  @Test("Batches that are open together share the limit of bytes of a reply")
  func batches() {
    var limits = SessionLimits()
    limits.replyBytes = 300
    let peer = makeHost(limits: limits)
    peer.send("[\(request("1", "big", "[150]")),\(steps("2", ["wait a"]))]", "[\(request("3", "big", "[150]"))]")
    #expect(peer.takeReplies() == ["[3: -32004]"])
    peer.release("a")
    let text = "\"" + String(repeating: "x", count: 150) + "\""
    #expect(peer.nextReplies(1) == ["[1: \(text), 2: true]"])
    peer.send("[\(request("4", "big", "[150]"))]")
    #expect(peer.takeReplies() == ["[4: \(text)]"])
  }

  @Test("The server stops reading when unread output reaches its limit, and not one byte earlier")
  func output() {
    let size = #"{"jsonrpc":"2.0","id":1,"result":null}"#.utf8.count + 1
    for (limit, isOpen) in [(size + 1, true), (size, false), (1, false)] {
      var limits = SessionLimits()
      limits.outputBytes = limit
      let peer = Peer(limits: limits)
      peer.send(request("1", "echo"))
      #expect(peer.session.wantsInput == isOpen)
      peer.session.consumeOutput(1)
      #expect(peer.session.wantsInput == (limit > 1))
    }
  }
}
