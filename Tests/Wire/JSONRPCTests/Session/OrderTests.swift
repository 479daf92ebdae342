import JSONRPC
import TestSupport
import Testing

@Suite("A script: one request after the other, replies in that order", .timeLimit(.minutes(5)), .ownThreads)
struct OrderTests {
  @Test("what comes behind a request that waits starts when it is done")
  func waits() {
    let peer = Peer()
    peer.send(later("1", "a"), request("2", "echo"), later("3", "b"), request("4", "fail"), "nonsense")
    #expect(peer.takeReplies() == [])
    #expect(peer.handler.calls.withLock { $0 } == ["later"])
    peer.finish("a")
    #expect(peer.takeReplies() == ["1: true", "2: null"])
    peer.send(request("5", "echo"))
    peer.finish("b", .failure(RPCError(.internalError)))
    #expect(peer.takeReplies() == ["3: -32603", "4: 5001", "null: -32700", "5: null"])
  }

  @Test("a notification that waits holds up what is behind it, and is not answered", arguments: [true, false])
  func waitingNotification(_ succeeds: Bool) {
    let peer = Peer()
    peer.send(notification("later", #"["a"]"#), request("1", "echo"))
    #expect(peer.takeReplies() == [])
    peer.finish("a", succeeds ? .success(Array("1".utf8)) : .failure(RPCError(.internalError)))
    #expect(peer.takeReplies() == ["1: null"])
  }

  @Test("work inside a batch: its elements in order, then what is behind the batch")
  func batch() {
    let peer = Peer()
    let batch = [
      request("1", "echo"), later("2", "a"), notification("later", #"["b"]"#), "5", later("3", "c"),
      request("4", "fail"),
    ]
    peer.send("[" + batch.joined(separator: ",") + "]", request("5", "echo"))
    peer.finish("a")
    peer.finish("b")
    #expect(peer.takeReplies() == [])
    peer.finish("c", .failure(RPCError(.internalError)))
    #expect(peer.takeReplies() == ["[1: null, 2: true, null: -32600, 3: -32603, 4: 5001]", "5: null"])
  }

  @Test("a batch of notifications that wait gets nothing")
  func quietBatch() {
    let peer = Peer()
    peer.send("[\(notification("later", #"["a"]"#)),\(notification("fail"))]", request("1", "echo"))
    peer.finish("a")
    #expect(peer.takeReplies() == ["1: null"])
  }

  @Test("the end of the input answers all that came")
  func endOfInput() {
    let peer = Peer()
    peer.send(later("1", "a"), request("2", "echo"), later("3", "b"))
    peer.send(bytes: Array(request("4", "echo").utf8))
    peer.session.endOfInput()
    #expect(!peer.session.inputIsOpen)
    #expect(!peer.session.wantsInput)
    #expect(!peer.session.isFinished)
    peer.finish("a")
    peer.send(request("5", "echo"))
    #expect(!peer.session.isFinished)
    peer.finish("b")
    #expect(peer.takeReplies() == ["1: true", "2: null", "3: true", "4: null"])
    #expect(peer.session.isFinished)
  }

  @Test("what nobody will read is still done, and its replies are dropped")
  func discards() {
    let peer = Peer()
    peer.send(request("1", "echo"), later("2", "a"), request("3", "echo"))
    peer.session.endOfInput()
    peer.session.discardOutput()
    #expect(!peer.session.isFinished)
    peer.finish("a")
    #expect(peer.handler.calls.withLock { $0 } == ["echo", "later", "echo"])
    #expect(peer.session.isFinished)
    #expect(!peer.session.hasOutput)
  }
}

@Suite("An abandoned session answers what it has with -32002", .timeLimit(.minutes(5)), .ownThreads)
struct AbandonTests {
  @Test("what waits, what runs and the rest of a batch, once each")
  func abandons() {
    let peer = Peer()
    let batch = "[\(request("1", "echo")),\(later("2", "a")),\(request("3", "echo")),4]"
    peer.send(batch, request("5", "echo"), notification("echo"), "nonsense", later("6", "b"))
    peer.session.abandon()
    let expected = ["[1: null, 2: -32002, 3: -32002, null: -32600]", "5: -32002", "null: -32700", "6: -32002"]
    #expect(peer.takeReplies() == expected)
    #expect(peer.session.isFinished)
    peer.finish("a")
    peer.send(request("7", "echo"))
    peer.session.endOfInput()
    peer.session.abandon()
    #expect(peer.takeOutput() == "")
    #expect(peer.handler.calls.withLock { $0 } == ["echo", "later"])
  }

  @Test("also when as much waits as may, and the output is full")
  func full() {
    var limits = SessionLimits()
    limits.waitingRequests = 3
    limits.outputBytes = 10
    let peer = Peer(limits: limits)
    peer.send((1...9).map { later("\($0)", "n\($0)") + "\n" }.joined())
    peer.session.endOfInput()
    peer.finish("n1")
    peer.session.abandon()
    #expect(peer.takeReplies() == ["1: true"] + (2...9).map { "\($0): -32002" })
    #expect(peer.session.isFinished)
  }

  @Test("the work that runs is cancelled")
  func cancels() {
    let peer = Peer()
    peer.send(request("1", "untilCancelled"))
    peer.session.abandon()
    peer.waitForWork()
    #expect(peer.takeReplies() == ["1: -32002"])
  }

  @Test("a notification that runs gets nothing")
  func notifications() {
    let peer = Peer()
    peer.send(notification("later", #"["a"]"#), notification("later", #"["b"]"#))
    peer.session.abandon()
    #expect(peer.takeOutput() == "")
    #expect(peer.session.isFinished)
  }
}
