import JSON
import JSONRPC
import TestSupport
import Testing

/// `_meta` that is not as it should be, and the place that the error names.
private let invalidMeta: [(meta: String, path: String)] = [
  ("1", "/_meta"), ("null", "/_meta"), ("[]", "/_meta"), (#"{"other":1}"#, "/_meta/other"),
  (#"{"timeoutMilliseconds":0}"#, "/_meta/timeoutMilliseconds"),
  (#"{"timeoutMilliseconds":-1}"#, "/_meta/timeoutMilliseconds"),
  (#"{"timeoutMilliseconds":86400001}"#, "/_meta/timeoutMilliseconds"),
  (#"{"timeoutMilliseconds":9223372036854775807}"#, "/_meta/timeoutMilliseconds"),
  (#"{"timeoutMilliseconds":"1"}"#, "/_meta/timeoutMilliseconds"),
  (#"{"timeoutMilliseconds":1.5}"#, "/_meta/timeoutMilliseconds"),
  (#"{"progressToken":true}"#, "/_meta/progressToken"), (#"{"progressToken":1.5}"#, "/_meta/progressToken"),
  (#"{"progressToken":[]}"#, "/_meta/progressToken"),
  (#"{"progressToken":"\#(String(repeating: "x", count: 1023))"}"#, "/_meta/progressToken"),
]

private func meta(_ milliseconds: Int) -> String { #""_meta":{"timeoutMilliseconds":\#(milliseconds)}"# }

private func data(_ line: String?) -> JSONValue? {
  line.flatMap { try? JSONValue(parsing: $0) }?["error"]?["data"]
}

@Suite("Deadlines of calls", .timeLimit(.minutes(5)), .ownThreads)
struct DeadlineTests {
  @Test("A wrong _meta fails with -32602, names its path, and the method is not called", arguments: invalidMeta)
  func invalid(_ meta: String, _ path: String) {
    let peer = Peer()
    peer.send(request("1", "echo", #"{"a":1,"_meta":\#(meta)}"#), request("2", "echo"))
    let lines = peer.takeLines()
    #expect(lines.map(summary(ofLine:)) == ["1: -32602", "2: null"])
    #expect(data(lines.first)?["path"] == .string(path))
    #expect(peer.handler.calls.withLock { $0 } == ["echo"])
  }

  @Test(
    "Correct _meta is accepted, and so is a value named _meta elsewhere in the params",
    arguments: [
      #"{"_meta":{}}"#, #"{"_meta":{"timeoutMilliseconds":1}}"#, #"{"_meta":{"timeoutMilliseconds":86400000}}"#,
      #"{"_meta":{"progressToken":0,"timeoutMilliseconds":5}}"#, #"[{"_meta":5}]"#, #"{"a":{"_meta":5}}"#,
      #"{"_meta":{"progressToken":"\#(String(repeating: "x", count: 1022))"}}"#,
    ])
  func valid(_ params: String) {
    let peer = Peer()
    peer.send(request("1", "echo", params))
    #expect(peer.takeReplies() == ["1: \(params)"])
  }

  @Test("A call whose deadline passes before its commit point is -32003 and has no effect", arguments: [true, false])
  func before(_ isHost: Bool) {
    let peer = isHost ? makeHost() : Peer()
    peer.send(steps("1", ["wait a", "commit", "note never"], meta(20)))
    let line = peer.nextLines(1).first
    #expect(line.map(summary(ofLine:)) == "1: -32003")
    #expect(data(line)?["committed"] == false)
    #expect(data(line)?["retryable"] == true)
    peer.release("a")
    #expect(peer.lastReplies() == [])
    #expect(peer.handler.log.withLock { $0 } == [])
  }

  @Test(
    "A call whose deadline passes after its commit point is -32003, and its work goes on", arguments: [true, false])
  func after(_ isHost: Bool) {
    let peer = isHost ? makeHost() : Peer()
    // Long enough for the commit on a busy machine.
    peer.send(steps("1", ["commit", "event a", "note done"], meta(1000)))
    let line = peer.nextLines(1).first
    #expect(line.map(summary(ofLine:)) == "1: -32003")
    #expect(data(line)?["committed"] == true)
    peer.send(cancel("1"))
    #expect(peer.handler.log.withLock { $0 } == ["committed"])
    peer.release("a")
    #expect(peer.lastReplies() == [])
    #expect(peer.handler.log.withLock { $0 } == ["committed", "done"])
  }

  @Test("A call whose deadline passes while it waits in its queue never starts")
  func queued() {
    let peer = makeHost()
    let queue = #""queue":"q","#
    peer.send(steps("1", ["wait a"], #""queue":"q""#), steps("2", ["note never"], queue + meta(20)))
    #expect(peer.nextReplies(1) == ["2: -32003"])
    peer.release("a")
    #expect(peer.lastReplies() == ["1: true"])
    #expect(peer.handler.log.withLock { $0 } == [])
  }

  @Test("A deadline ends a call in time even if all threads for blocking work are busy")
  func busyThreads() {
    let peer = makeHost()
    for id in 1...8 { peer.send(steps("\(id)", ["block a\(id)"])) }
    peer.send(steps("9", ["note never"], meta(20)))
    #expect(peer.nextReplies(1) == ["9: -32003"])
    for id in 1...8 { peer.handler.gate.unblock("a\(id)") }
    #expect(peer.lastReplies().sorted() == (1...8).map { "\($0): true" })
  }

  @Test("A deadline that passes just as its call ends causes exactly one reply")
  func race() {
    let peer = makeHost()
    for id in 1...200 { peer.send(steps("\(id)", ["sleep", "commit"], meta(1))) }
    let replies = peer.lastReplies().map { $0.split(separator: ":").map(String.init) }
    #expect(replies.compactMap { Int($0[0]) }.sorted() == Array(1...200))
    #expect(Set(replies.map { $0[1] }).isSubset(of: [" true", " -32003"]))
  }

  @Test("However a call ends, its deadline does not keep the session in memory")
  func cleanedUp() {
    var peer: Peer? = makeHost()
    weak let session = peer?.session
    peer?.send(steps("1", ["note a"], meta(86_400_000)), steps("2", ["cancelled"], meta(86_400_000)), cancel("2"))
    peer?.send(steps("3", ["fail"], meta(86_400_000)), steps("4", ["cancelled"], meta(86_400_000)))
    #expect(peer?.nextReplies(3).sorted() == ["1: true", "2: -32800", "3: -32603"])
    peer?.session.abandon()
    #expect(peer?.takeReplies() == ["4: -32002"])
    peer = nil
    #expect(session == nil)
  }
}

@Suite("Progress notifications", .timeLimit(.minutes(5)), .ownThreads)
struct ProgressTests {
  private static func token(_ token: String) -> String { #""_meta":{"progressToken":\#(token)}"# }

  private static func report(_ token: String, _ message: String) -> String {
    let value = #"{"kind":"report","percentage":50,"message":"\#(message)"}"#
    return #"{"jsonrpc":"2.0","method":"$/progress","params":{"token":\#(token),"value":\#(value)}}"#
  }

  @Test(
    "$/progress has the token as it was written, and is sent before the reply",
    arguments: ["7", "-0", "9223372036854775807", #""""#, #""t""#, #""\u0041\/é""#, #""\\\"""#, #""\ud83d\ude00""#])
  func token(_ token: String) {
    for peer in [Peer(), makeHost()] {
      peer.send(steps("1", ["progress one", "progress two"], #""a":{"_meta":1},"# + Self.token(token)))
      let lines = peer.nextLines(3)
      #expect(lines.dropLast() == [Self.report(token, "one"), Self.report(token, "two")])
      #expect(lines.last.map(summary(ofLine:)) == "1: true")
    }
  }

  @Test("$/progress is not sent for a call without a progressToken")
  func noToken() {
    let peer = makeHost()
    peer.send(steps("1", ["progress one"]), steps("2", ["progress one"], #""_meta":{}"#))
    #expect(peer.lastReplies().sorted() == ["1: true", "2: true"])
  }

  @Test("$/progress is not sent after the reply")
  func afterReply() {
    let peer = makeHost()
    peer.send(steps("1", ["wait a", "progress late", "note done"], Self.token("1")), cancel("1"))
    #expect(peer.takeReplies() == ["1: -32800"])
    peer.release("a")
    #expect(peer.lastReplies() == [])
    #expect(peer.handler.log.withLock { $0 } == ["done"])
  }

  @Test("$/progress for an element of a batch is sent before the reply to the batch")
  func batch() {
    let peer = makeHost()
    peer.send("[\(steps("1", ["progress one"], Self.token("5"))),\(steps("2", ["wait b"]))]")
    #expect(peer.nextLines(1) == [Self.report("5", "one")])
    peer.release("b")
    #expect(peer.lastReplies() == ["[1: true, 2: true]"])
  }

  @Test("If the host does not read, progress is dropped, but the reply is not")
  func slowHost() {
    var limits = SessionLimits()
    limits.outputBytes = 4000
    let peer = makeHost(limits: limits)
    peer.send(steps("1", (0..<2000).map { "progress \($0)" } + ["note done"], Self.token("5")))
    peer.wait(for: "done")
    peer.session.endOfInput()
    peer.wait { peer.session.isFinished }
    let lines = peer.takeLines()
    #expect(lines.count < 60)
    #expect(lines.last.map(summary(ofLine:)) == "1: true")
  }
}
