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

@Suite("A host: answers at once, work side by side", .timeLimit(.minutes(5)), .ownThreads)
struct HostOrderTests {
  @Test("what needs no work overtakes what does, in order")
  func overtakes() {
    let peer = makeHost()
    peer.send(steps("1", ["wait a"]), request("2", "echo"), "nonsense", request("3", "fail"), request("4", "echo"))
    #expect(peer.takeReplies() == ["2: null", "null: -32700", "3: 5001", "4: null"])
    peer.release("a")
    #expect(peer.nextReplies(1) == ["1: true"])
  }

  @Test("work runs side by side, and is answered when it is done")
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

  @Test("work of one queue stays in order; other queues do not wait")
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

  @Test("a queue goes on behind work that fails, and behind work that is cancelled")
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

  @Test("a batch with work is one array in order, when all of it is done; later requests go on")
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

  @Test("the same id in flight many times: as many replies")
  func sameID() {
    let peer = makeHost()
    for name in ["a", "b", "c"] { peer.send(steps("7", ["wait \(name)"])) }
    peer.release("a", "b", "c")
    #expect(peer.nextReplies(3) == ["7: true", "7: true", "7: true"])
  }

  @Test("the end of input: what runs is finished, what only waits answers with what it has")
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

@Suite("A script whose work only waits for something to tell", .timeLimit(.minutes(5)), .ownThreads)
struct WaitingWorkTests {
  private static func event(_ id: String, _ name: String) -> String {
    steps(id, ["event \(name)"], #""isWaiting":true"#)
  }

  @Test("is answered late; what is behind it goes on, in order")
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

  @Test("in a batch it holds the array and what is behind it")
  func batch() {
    let peer = Peer()
    peer.send("[\(Self.event("1", "a")),\(request("2", "echo"))]", request("3", "echo"))
    #expect(peer.takeReplies() == [])
    #expect(peer.handler.calls.withLock { $0 } == ["steps"])
    peer.release("a")
    #expect(peer.nextReplies(2) == ["[1: true, 2: null]", "3: null"])
  }

  @Test("the end of input lets it answer with what it has, behind others, in a batch, begun or not")
  func endOfInput() {
    let peer = Peer()
    peer.send(Self.event("1", "a"), later("2", "b"), "[\(Self.event("3", "c"))]", Self.event("4", "d"))
    peer.session.endOfInput()
    #expect(peer.nextReplies(1) == [#"1: "nothing yet""#])
    peer.release("b")
    #expect(peer.lastReplies() == ["2: true", #"[3: "nothing yet"]"#, #"4: "nothing yet""#])
  }
}
