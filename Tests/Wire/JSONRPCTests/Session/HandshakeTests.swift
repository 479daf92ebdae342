import JSONRPC
import TestSupport
import Testing

private let initialize = request("\"i\"", "initialize")
private let answered = #""i": "host""#
private let refused = #""i": -32600"#

/// Whether the connection is a host's: work does not hold up what is behind it.
private func isHost(_ peer: Peer) -> Bool {
  peer.send(steps("\"w\"", ["wait probe"]), request("\"e\"", "echo"))
  let isHost = peer.takeReplies() == [#""e": null"#]
  peer.release("probe")
  _ = peer.lastReplies()
  return isHost
}

@Suite("initialize lets a connection run requests concurrently", .timeLimit(.minutes(5)), .ownThreads)
struct HandshakeTests {
  @Test("Without initialize, a connection answers requests in order")
  func script() {
    #expect(!isHost(Peer()))
  }

  @Test("After initialize, requests no longer wait for running work", arguments: ["{}", stepParams(["wait h"])])
  func answers(_ params: String) {
    let peer = Peer()
    peer.send(request("1", "initialize", params), request("2", "echo"))
    peer.release("h")
    #expect(peer.nextReplies(2).last == "2: null")
    #expect(isHost(peer))
  }

  @Test("initialize waits for earlier requests, and is answered before any later request starts")
  func order() {
    let peer = Peer()
    peer.send(steps("1", ["event a"], #""isWaiting":true"#), initialize, request("2", "echo"))
    peer.send("[\(request("3", "echo"))]", "nonsense")
    #expect(peer.takeReplies() == [])
    #expect(peer.handler.calls.withLock { $0 } == ["steps"])
    peer.release("a")
    #expect(peer.nextReplies(5) == ["1: true", answered, "2: null", "[3: null]", "null: -32700"])
    #expect(isHost(peer))
  }

  @Test("No request overtakes initialize, even if the work of initialize only waits for events")
  func workOfItsOwn() {
    let peer = Peer()
    peer.send(request("1", "initialize", stepParams(["wait h"], #""isWaiting":true"#)), request("2", "echo"))
    #expect(peer.takeReplies() == [])
    peer.release("h")
    #expect(peer.nextReplies(2) == ["1: true", "2: null"])
  }

  @Test("A second initialize fails with -32600, even while the first runs", arguments: ["{}", stepParams(["wait h"])])
  func twice(_ params: String) {
    let peer = Peer()
    peer.send(request("1", "initialize", params), initialize, request("2", "echo"))
    peer.release("h")
    #expect(peer.nextReplies(3).suffix(2) == [refused, "2: null"])
    #expect(isHost(peer))
  }

  @Test("initialize in a batch fails with -32600 and changes nothing")
  func batch() {
    let peer = Peer()
    peer.send("[\(request("1", "echo")),\(initialize),\(notification("initialize"))]")
    #expect(peer.takeReplies() == ["[1: null, \(refused)]"])
    #expect(!isHost(peer))
  }

  @Test("After a failed initialize, requests are still answered in order, and initialize can be repeated")
  func fails() {
    let peer = Peer()
    peer.send(request("1", "initialize", #"{"fail":true}"#), request("2", "initialize", "[1e400]"))
    peer.send(request("3", "initialize", #"{"_meta":1}"#), request("4", "initialize", stepParams(["commit", "fail"])))
    #expect(peer.nextReplies(4) == ["1: -32602", "2: -32602", "3: -32602", "4: -32603"])
    peer.send(steps("5", ["wait a"]), request("6", "echo"))
    #expect(peer.takeReplies() == [])
    peer.release("a")
    peer.send(initialize)
    #expect(peer.nextReplies(3) == ["5: true", "6: null", answered])
    #expect(isHost(peer))
  }

  @Test("initialize as a notification is ignored")
  func asNotification() {
    let peer = Peer()
    peer.send(notification("initialize"), notification("initialize", "{}"))
    #expect(peer.handler.calls.withLock { $0 }.isEmpty)
    #expect(!isHost(peer))
  }

  @Test("An initialize call that is cancelled while it waits never starts")
  func cancelledBefore() {
    let peer = Peer()
    peer.send(steps("1", ["event a"], #""isWaiting":true"#), initialize, request("2", "echo"), cancel(#""i""#))
    #expect(peer.takeReplies() == [#""i": -32800"#, "2: null"])
    peer.release("a")
    #expect(peer.nextReplies(1) == ["1: true"])
    #expect(!isHost(peer))
  }

  @Test("If initialize is cancelled while it runs, later requests wait for its end and stay in order")
  func cancelledAtWork() {
    let peer = Peer()
    peer.send(request("1", "initialize", stepParams(["wait h"])), request("2", "echo"), cancel("1"))
    #expect(peer.takeReplies() == ["1: -32800"])
    peer.release("h")
    #expect(peer.nextReplies(1) == ["2: null"])
    #expect(!isHost(peer))
  }

  @Test("A deadline after the commit point of initialize does not undo it")
  func deadlineAfterCommit() {
    let peer = Peer()
    let params = stepParams(["commit", "wait h"], #""_meta":{"timeoutMilliseconds":20}"#)
    peer.send(request("1", "initialize", params))
    #expect(peer.nextReplies(1) == ["1: -32003"])
    peer.release("h")
    peer.send(request("2", "echo"))
    #expect(peer.nextReplies(1) == ["2: null"])
    #expect(isHost(peer))
  }

  @Test("If the session is abandoned, a waiting initialize fails with -32002")
  func abandoned() {
    let peer = Peer()
    peer.send(steps("1", ["event a"], #""isWaiting":true"#), initialize, request("2", "echo"))
    peer.session.abandon()
    #expect(peer.takeReplies() == ["1: -32002", #""i": -32002"#, "2: -32002"])
    #expect(peer.session.isFinished)
  }
}
