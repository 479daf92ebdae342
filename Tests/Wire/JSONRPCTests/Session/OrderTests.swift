import JSONRPC
import TestSupport
import Testing

@Suite("Without initialize, requests are answered one after the other", .timeLimit(.minutes(5)), .ownThreads)
struct OrderTests {
  @Test("Without initialize, a request starts when the request before it is done")
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

  @Test("Without initialize, a running notification delays later requests and gets no reply", arguments: [true, false])
  func waitingNotification(_ succeeds: Bool) {
    let peer = Peer()
    peer.send(notification("later", #"["a"]"#), request("1", "echo"))
    #expect(peer.takeReplies() == [])
    peer.finish("a", succeeds ? .success(Array("1".utf8)) : .failure(RPCError(.internalError)))
    #expect(peer.takeReplies() == ["1: null"])
  }

  @Test("Without initialize, a batch with work gets its replies in order, before later requests")
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

  @Test("A batch of notifications gets no reply, even if one of them has work")
  func quietBatch() {
    let peer = Peer()
    peer.send("[\(notification("later", #"["a"]"#)),\(notification("fail"))]", request("1", "echo"))
    peer.finish("a")
    #expect(peer.takeReplies() == ["1: null"])
  }

  @Test("At the end of input, a session still answers all requests that it has received")
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

  @Test("Requests are still carried out if nobody reads the replies, and their replies are dropped")
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

@Suite("An abandoned session answers open requests with -32002", .timeLimit(.minutes(5)), .ownThreads)
struct AbandonTests {
  @Test("An abandoned session answers each waiting or running request, even in a batch, with -32002")
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

  @Test("An abandoned session answers all requests even if its queue and its output are full")
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

  @Test("Abandoning a session cancels its running work")
  func cancels() {
    let peer = Peer()
    peer.send(request("1", "untilCancelled"))
    peer.session.abandon()
    peer.waitForWork()
    #expect(peer.takeReplies() == ["1: -32002"])
  }

  @Test("A running notification of an abandoned session gets no reply")
  func notifications() {
    let peer = Peer()
    peer.send(notification("later", #"["a"]"#), notification("later", #"["b"]"#))
    peer.session.abandon()
    #expect(peer.takeOutput() == "")
    #expect(peer.session.isFinished)
  }
}
