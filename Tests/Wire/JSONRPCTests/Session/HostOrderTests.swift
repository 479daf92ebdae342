import JSONRPC
import TestSupport
import Testing

/// A peer whose connection is a host's already.
func makeHost(limits: SessionLimits = SessionLimits()) -> Peer {
  let peer = Peer(limits: limits)
  peer.send(request("0", "initialize"))
  _ = peer.takeOutput()
  return peer
}

@Suite("The order of replies after initialize", .timeLimit(.minutes(5)), .ownThreads)
struct HostOrderTests {
  @Test("After initialize, calls that need no work overtake those that do, and stay in order")
  func overtakes() {
    let peer = makeHost()
    peer.send(steps("1", ["wait a"]), request("2", "echo"), "nonsense", request("3", "fail"), request("4", "echo"))
    #expect(peer.takeReplies() == ["2: null", "null: -32700", "3: 5001", "4: null"])
    peer.release("a")
    #expect(peer.nextReplies(1) == ["1: true"])
  }

  @Test("After initialize, work runs concurrently and is answered when it is done")
  func sideBySide() {
    let peer = makeHost()
    peer.send(steps("1", ["note 1", "wait a"]), steps("2", ["note 2", "wait b"]), steps("3", ["note 3", "wait c"]))
    for entry in ["1", "2", "3"] { peer.wait(for: entry) }
    peer.release("c")
    #expect(peer.nextReplies(1) == ["3: true"])
    peer.release("a")
    #expect(peer.nextReplies(1) == ["1: true"])
    peer.release("b")
    #expect(peer.nextReplies(1) == ["2: true"])
  }

  @Test("Work in one queue runs in order and does not wait for other queues")
  func queues() {
    let peer = makeHost()
    let queue = #""queue":"file 1""#
    peer.send(steps("1", ["note 1", "wait a"], queue), steps("2", ["note 2", "wait b"], queue))
    peer.send(steps("3", ["note 3"], queue), steps("4", ["note 4"], #""queue":"file 2""#))
    #expect(peer.nextReplies(1) == ["4: true"])
    peer.release("b")
    peer.release("a")
    #expect(peer.nextReplies(3) == ["1: true", "2: true", "3: true"])
    #expect(peer.handler.log.withLock { $0.filter { $0 != "4" } } == ["1", "2", "3"])
  }

  @Test("A queue goes on after work in it has failed or was cancelled")
  func queueGoesOn() {
    let peer = makeHost()
    let queue = #""queue":"q""#
    peer.send(steps("1", ["wait a", "fail"], queue), steps("2", ["note 2"], queue), steps("3", ["wait c"], queue))
    peer.send(steps("4", ["note 4"], queue), cancel("2"))
    #expect(peer.takeReplies() == ["2: -32800"])
    peer.release("a")
    #expect(peer.nextReplies(1) == ["1: -32603"])
    peer.send(cancel("3"))
    #expect(peer.takeReplies() == ["3: -32800"])
    #expect(peer.handler.log.withLock { $0 } == [])
    peer.release("c")
    #expect(peer.nextReplies(1) == ["4: true"])
    #expect(peer.handler.log.withLock { $0 } == ["4"])
  }

  @Test("A batch with work gets one ordered array when all of it is done, and later requests overtake it")
  func batches() {
    let peer = makeHost()
    let quiet = notification("fail")
    let first = "[\(steps("1", ["wait a"])),\(request("2", "echo")),5,\(quiet),\(steps("3", ["wait b"]))]"
    let second = "[\(steps("4", ["wait c"])),\(notification("later", #"["d"]"#))]"
    peer.send(first, second, request("5", "echo"), "[\(request("6", "echo"))]")
    #expect(peer.takeReplies() == ["5: null", "[6: null]"])
    peer.release("b", "c")
    #expect(peer.nextReplies(1) == ["[4: true]"])
    peer.release("a")
    #expect(peer.nextReplies(1) == ["[1: true, 2: null, null: -32600, 3: true]"])
    peer.release("d")
    #expect(peer.lastReplies() == [])
  }

  @Test("Calls in flight with the same id get one reply each")
  func sameID() {
    let peer = makeHost()
    for name in ["a", "b", "c"] { peer.send(steps("7", ["wait \(name)"])) }
    peer.release("a", "b", "c")
    #expect(peer.nextReplies(3) == ["7: true", "7: true", "7: true"])
  }

  @Test("At the end of input, running work is finished, and calls that wait for events return at once")
  func endOfInput() {
    let peer = makeHost()
    peer.send(steps("1", ["wait a"]), steps("2", ["event b"], #""isWaiting":true"#))
    peer.session.endOfInput()
    #expect(peer.nextReplies(1) == [#"2: "nothing yet""#])
    #expect(!peer.session.isFinished)
    peer.release("a")
    #expect(peer.nextReplies(1) == ["1: true"])
    #expect(peer.session.isFinished)
  }
}

@Suite("Waiting for events without initialize", .timeLimit(.minutes(5)), .ownThreads)
struct WaitingWorkTests {
  private static func event(_ id: String, _ name: String) -> String {
    steps(id, ["event \(name)"], #""isWaiting":true"#)
  }

  @Test("Without initialize, calls overtake a call that waits for events, and stay in order")
  func late() {
    let peer = Peer()
    peer.send(Self.event("1", "a"), request("2", "echo"), later("3", "b"), Self.event("4", "c"), request("5", "echo"))
    #expect(peer.takeReplies() == ["2: null"])
    peer.release("a")
    #expect(peer.nextReplies(1) == ["1: true"])
    peer.finish("b")
    #expect(peer.nextReplies(2) == ["3: true", "5: null"])
    peer.release("c")
    #expect(peer.nextReplies(1) == ["4: true"])
  }

  @Test("Without initialize, a call that waits for events in a batch delays the requests after the batch")
  func batch() {
    let peer = Peer()
    peer.send("[\(Self.event("1", "a")),\(request("2", "echo"))]", request("3", "echo"))
    #expect(peer.takeReplies() == [])
    #expect(peer.handler.calls.withLock { $0 } == ["steps"])
    peer.release("a")
    #expect(peer.nextReplies(2) == ["[1: true, 2: null]", "3: null"])
  }

  @Test("Without initialize, calls that wait for events return what they have at the end of input")
  func endOfInput() {
    let peer = Peer()
    peer.send(Self.event("1", "a"), later("2", "b"), "[\(Self.event("3", "c"))]", Self.event("4", "d"))
    peer.session.endOfInput()
    #expect(peer.nextReplies(1) == [#"1: "nothing yet""#])
    peer.release("b")
    #expect(peer.lastReplies() == ["2: true", #"[3: "nothing yet"]"#, #"4: "nothing yet""#])
  }
}
