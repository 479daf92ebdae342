import Glibc
import JSONRPC
import TestSupport
import Testing

/// Params that name no id.
private let malformed: [String?] = [
  nil, "{}", "[]", "[1]", #"{"id":true}"#, #"{"id":{}}"#, #"{"id":[1]}"#, #"{"id":1,"id":1}"#, #"{"ID":1}"#,
  #"[{"id":1}]"#,
]

/// Other ways to write the same cancel of 1.
private let spellings = [
  #"{"jsonrpc":"2.0","method":"$/cancel\u0052equest","params":{"id":1}}"#,
  #"{"method":"\u0024/cancelRequest","params":{"\u0069d":1},"jsonrpc":"2.0"}"#,
  #"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"more":[1],"id":1}}"#,
  notification("$/cancelRequest", #"{"id":1,"more":"\#(String(repeating: "x", count: 9000))"}"#),
]

@Suite("$/cancelRequest after initialize", .timeLimit(.minutes(5)), .ownThreads)
struct HostCancelTests {
  @Test("$/cancelRequest answers a running call with -32800 at once, and its later result is dropped")
  func running() {
    let peer = makeHost()
    peer.send(steps("1", ["note begun", "wait a", "commit", "note never"]))
    peer.wait(for: "begun")
    peer.send(cancel("1"), request("2", "echo"))
    #expect(peer.takeReplies() == ["1: -32800", "2: null"])
    peer.release("a")
    #expect(peer.lastReplies() == [])
    #expect(peer.handler.log.withLock { $0 } == ["begun"])
  }

  @Test("$/cancelRequest tells the running work that its call was cancelled")
  func tellsTheWork() {
    let peer = makeHost()
    peer.send(steps("1", ["cancelled", "note told"]), cancel("1"))
    #expect(peer.takeReplies() == ["1: -32800"])
    peer.wait(for: "told")
    #expect(peer.lastReplies() == [])
  }

  @Test("A call that is cancelled while it waits in its queue never starts")
  func queued() {
    let peer = makeHost()
    peer.send(steps("1", ["wait a"], #""queue":"q""#), steps("2", ["note never"], #""queue":"q""#), cancel("2"))
    #expect(peer.takeReplies() == ["2: -32800"])
    peer.release("a")
    #expect(peer.lastReplies() == ["1: true"])
    #expect(peer.handler.log.withLock { $0 } == [])
  }

  @Test("$/cancelRequest is ignored after the commit point of the call")
  func committed() {
    let peer = makeHost()
    peer.send(steps("1", ["commit", "wait a", "note done"]))
    peer.wait(for: "committed")
    peer.send(cancel("1"), cancel("1"), request("2", "echo"))
    #expect(peer.takeReplies() == ["2: null"])
    peer.release("a")
    #expect(peer.lastReplies() == ["1: true"])
    #expect(peer.handler.log.withLock { $0 } == ["committed", "done"])
  }

  @Test("$/cancelRequest has no effect if it comes too late, twice, too early or for an unknown id")
  func noEffect() {
    let peer = makeHost()
    peer.send(request("1", "echo"), cancel("1"), cancel("2"), steps("2", ["wait a"]), cancel("3"))
    peer.send(cancel("2"), cancel("2"), steps("4", ["wait b"]))
    peer.release("b", "a")
    #expect(peer.nextReplies(3) == ["1: null", "2: -32800", "4: true"])
    peer.send(cancel("4"), cancel("2"), request("5", "echo"))
    #expect(peer.lastReplies() == ["5: null"])
  }

  @Test("$/cancelRequest cancels all calls in flight that have the id")
  func all() {
    let peer = makeHost()
    for name in ["a", "b"] { peer.send(steps("1", ["wait \(name)"])) }
    peer.send(cancel("1"), steps("1", ["wait c"]))
    #expect(peer.takeReplies() == ["1: -32800", "1: -32800"])
    peer.release("a", "b", "c")
    #expect(peer.lastReplies() == ["1: true"])
  }

  @Test("Cancels match ids byte for byte", arguments: ["1", "1.0", #""1""#, "10e-1", #""\u0031""#, "null", "-0", "0"])
  func bytes(_ id: String) {
    let ids = ["1", "1.0", #""1""#, "10e-1", #""\u0031""#, "null", "-0", "0"]
    let peer = makeHost()
    for (index, id) in ids.enumerated() { peer.send(steps(id, ["wait \(index)"])) }
    peer.send(notification("steps", stepParams(["wait quiet"])), cancel(id))
    #expect(peer.takeLines().map { $0.contains(#""id":\#(id),"error""#) } == [true])
    for index in ids.indices { peer.release("\(index)") }
    peer.release("quiet")
    #expect(peer.lastReplies().count == ids.count - 1)
  }

  @Test("$/cancelRequest with malformed params is ignored", arguments: malformed)
  func malformedParams(_ params: String?) {
    let peer = makeHost()
    peer.send(steps("1", ["wait a"]), notification("$/cancelRequest", params))
    #expect(peer.takeReplies() == [])
    peer.release("a")
    #expect(peer.lastReplies() == ["1: true"])
  }

  @Test("$/cancelRequest works in any valid JSON spelling, and in a batch")
  func spelled() {
    for spelling in spellings + spellings.map({ "[\($0)]" }) {
      let peer = makeHost()
      peer.send(steps("1", ["wait a"]), spelling)
      #expect(peer.takeReplies() == ["1: -32800"])
      peer.release("a")
    }
  }

  @Test("$/cancelRequest that has an id is answered with methodNotFound")
  func asRequest() {
    let peer = makeHost()
    peer.send(steps("1", ["wait a"]), request("2", "$/cancelRequest", #"{"id":1}"#))
    #expect(peer.takeReplies() == ["2: -32601"])
    peer.release("a")
    #expect(peer.lastReplies() == ["1: true"])
  }

  @Test("A cancelled element of a batch has the error -32800 at its place in the array")
  func element() {
    let peer = makeHost()
    peer.send("[\(steps("1", ["wait a"])),\(steps("2", ["wait b"]))]", cancel("2"))
    #expect(peer.takeReplies() == [])
    peer.release("a", "b")
    #expect(peer.lastReplies() == ["[1: true, 2: -32800]"])
  }

  @Test("$/cancelRequest has no effect on calls of another connection")
  func otherConnection() {
    let (peer, other) = (makeHost(), makeHost())
    peer.send(steps("1", ["wait a"]))
    other.send(cancel("1"))
    #expect(peer.takeReplies() + other.takeReplies() == [])
    peer.release("a")
    #expect(peer.lastReplies() + other.lastReplies() == ["1: true"])
  }
}

@Suite("$/cancelRequest without initialize", .timeLimit(.minutes(5)), .ownThreads)
struct ScriptCancelTests {
  @Test("Without initialize, a waiting call that is cancelled never starts", arguments: spellings + [cancel("1")])
  func queued(_ spelling: String) {
    let peer = Peer()
    peer.send(later("0", "a"), request("1", "echo"), request("2", "echo"), request("1", "fail"), spelling)
    #expect(peer.takeReplies() == ["1: -32800", "1: -32800"])
    peer.send(request("1", "echo", "[1]"))
    peer.finish("a")
    #expect(peer.takeReplies() == ["0: true", "2: null", "1: [1]"])
    #expect(peer.handler.calls.withLock { $0 } == ["later", "echo", "echo"])
  }

  @Test("Without initialize, a cancelled waiting call leaves its room in the queue to others")
  func room() {
    var limits = SessionLimits()
    limits.waitingRequests = 3
    let peer = Peer(limits: limits)
    peer.send(later("0", "a"))
    for id in 1...10 { peer.send(request("\(id)", "echo"), cancel("\(id)")) }
    #expect(peer.takeReplies() == (1...10).map { "\($0): -32800" })
    peer.send(request("11", "echo"))
    peer.finish("a")
    #expect(peer.takeReplies() == ["0: true", "11: null"])
  }

  @Test("Without initialize, a cancelled running call is answered at once, and later calls wait for its end")
  func running() {
    let peer = Peer()
    peer.send(steps("1", ["wait a", "note ended"]), request("2", "echo"), cancel("1"))
    #expect(peer.takeReplies() == ["1: -32800"])
    peer.release("a")
    #expect(peer.nextReplies(1) == ["2: null"])
    #expect(peer.handler.log.withLock { $0 } == ["ended"])
  }

  @Test("Without initialize, $/cancelRequest cancels elements of running batches and of waiting batches")
  func elements() {
    let peer = Peer()
    let begun = "[\(later("1", "a")),\(request("2", "echo")),\(request("3", "echo"))]"
    let waiting = "[\(request("2", "echo")),\(notification("fail")),2,\(request("4", "echo")),\(request("2", "fail"))]"
    peer.send(begun, waiting, cancel("2"), cancel("2"), cancel("9"), request("2", "echo"))
    peer.finish("a")
    let replies = ["[1: true, 2: -32800, 3: null]", "[2: -32800, null: -32600, 4: null, 2: -32800]"]
    #expect(peer.takeReplies() == replies + ["2: null"])
  }

  @Test("Without initialize, $/cancelRequest has no effect if it is malformed, late, early or unknown")
  func noEffect() {
    let peer = Peer()
    peer.send(request("1", "echo"), later("0", "a"), cancel("1"), cancel("2"), request("2", "echo"))
    for params in malformed { peer.send(notification("$/cancelRequest", params)) }
    peer.send(request("3", "$/cancelRequest", #"{"id":2}"#), "[]", cancel("null"))
    peer.finish("a")
    #expect(peer.takeReplies() == ["1: null", "0: true", "2: null", "3: -32601", "null: -32600"])
  }

  @Test("Without initialize, a call that waits for events is answered at once when it is cancelled")
  func waitingWork() {
    let peer = Peer()
    peer.send(steps("1", ["event a"], #""isWaiting":true"#), request("2", "echo"), cancel("1"))
    #expect(peer.lastReplies() == ["2: null", "1: -32800"])
  }

  @Test("10,000 cancels of unknown ids are cheap, even if 1,000 requests wait in batches")
  func many() {
    let peer = Peer()
    let batch = "[" + (0..<500).map { request("\"id \($0)\"", "echo") }.joined(separator: ",") + "]"
    peer.send(later("0", "a"), batch, batch)
    let cancels = (0..<10_000).map { cancel("\"other \($0)\"") + "\n" }.joined()
    let begin = threadSeconds()
    peer.send(bytes: Array(cancels.utf8))
    #expect(threadSeconds() - begin < 20)
    peer.finish("a")
    #expect(peer.takeLines().count == 3)
  }
}

/// What this thread has worked so far, whatever else the machine does.
private func threadSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
