import JSONRPC
import Support
import TestSupport
import Testing

private func authenticate(_ id: String = "1", _ token: String = "right") -> String {
  request(id, "authenticate", #"{"token":"\#(token)"}"#)
}

/// What may not come before authentication, and what is answered to it.
private let failures: [(input: String, replies: [String])] = [
  (authenticate("1", "wrong"), ["1: -32001"]),
  (request("2", "authenticate"), ["2: -32001"]),
  (request("3", "echo"), ["3: -32001"]),
  (request("4", "authenticate", "[1e400]"), ["4: -32602"]),
  (notification("authenticate", #"{"token":"right"}"#), []),
  (notification("echo"), []),
  (#"{"jsonrpc":"2.0","id":1,"result":1}"#, []),
  ("[\(authenticate())]", ["null: -32001"]), ("[]", ["null: -32001"]),
  ("{}", ["null: -32001"]), (#"{"id":5}"#, ["5: -32001"]), ("5", ["null: -32001"]),
  ("{", ["null: -32001"]),
  (request("6", "authenticate", "\"" + String(repeating: "x", count: 5000) + "\""), ["null: -32004"]),
]

private func makePeer() -> Peer { Peer(admission: Admission(verify: { $0.elementsEqual("right".utf8) })) }

@Suite("Before authentication, a connection accepts only authenticate", .ownThreads)
struct AdmissionTests {
  @Test("The right token opens a connection, and later wrong tokens do not close it")
  func opens() {
    let peer = makePeer()
    peer.send(
      authenticate(), request("2", "echo"), authenticate("3", "wrong"), request("4", "echo"),
      authenticate("5", "wrong"), authenticate("6", "wrong"), request("7", "echo"))
    let expected = ["1: null", "2: null", "3: -32001", "4: null", "5: -32001", "6: -32001", "7: null"]
    #expect(peer.takeReplies() == expected)
    #expect(peer.session.inputIsOpen)
  }

  @Test("authenticate accepts null as its id")
  func nullID() {
    let peer = makePeer()
    peer.send(authenticate("null"), request("2", "echo"))
    #expect(peer.takeReplies() == ["null: null", "2: null"])
  }

  @Test("Before authentication, all else is refused, and the third failure ends the connection", arguments: failures)
  func counts(_ input: String, _ replies: [String]) {
    let peer = makePeer()
    for _ in 0..<2 {
      peer.send(input)
      #expect(peer.takeReplies() == replies)
      #expect(peer.session.inputIsOpen)
    }
    peer.send(input, authenticate(), request("2", "echo"))
    #expect(peer.takeReplies() == replies)
    #expect(!peer.session.inputIsOpen)
    #expect(peer.session.isFinished)
    #expect(!peer.handler.calls.withLock { $0 }.contains("echo"))
  }

  @Test("Two failures before authentication do not end the connection", arguments: failures)
  func forgives(_ input: String, _ replies: [String]) {
    let peer = makePeer()
    peer.send(input, input, authenticate(), request("2", "echo"))
    #expect(peer.takeReplies() == replies + replies + ["1: null", "2: null"])
  }

  @Test("A message may have 4,096 bytes before authentication and the full limit after it", arguments: [false, true])
  func messageLimit(_ withHeaders: Bool) {
    let padded = { (size: Int) in
      "{" + String(repeating: " ", count: size - authenticate().utf8.count) + authenticate().dropFirst()
    }
    let long = request("2", "echo", "[\"" + String(repeating: "x", count: 100_000) + "\"]")
    let frame = { (message: String) in withHeaders ? framed(message) : Array("\(message)\n".utf8) }
    let peer = makePeer()
    peer.send(bytes: frame(padded(4097)) + frame(padded(4096)) + frame(long))
    let bodies = withHeaders ? unframed(peer.takeOutput()) : peer.takeLines()
    #expect(bodies.dropLast().map(summary(ofLine:)) == ["null: -32004", "1: null"])
    #expect(bodies.last?.utf8.count ?? 0 > 100_000)
  }

  @Test("A connection that presents its token again takes no second place")
  func again() throws {
    let places = Lock(0)
    let admission = Admission(verify: { _ in true }, makeRoom: { () throws(RPCError) in places.withLock { $0 += 1 } })
    for _ in 0..<3 { try admission.present("right") }
    #expect(admission.isOpen)
    #expect(places.withLock { $0 } == 1)
  }

  @Test("If there is no room for a connection, authenticate fails with -32004, at most three times")
  func refused() {
    let full: @Sendable () throws(RPCError) -> Void = { () throws(RPCError) in
      throw RPCError(LimitExcess(.connections, 64))
    }
    let peer = Peer(admission: Admission(verify: { _ in true }, makeRoom: full))
    peer.send(authenticate(), authenticate(), authenticate())
    #expect(peer.takeReplies() == ["1: -32004", "1: -32004", "1: -32004"])
    #expect(peer.session.isFinished)
  }
}
