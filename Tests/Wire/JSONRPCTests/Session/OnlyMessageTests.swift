import JSON
import Support
import Testing

@testable import JSONRPC

@Suite("A session that answers one message", .timeLimit(.minutes(5)), .ownThreads)
struct OnlyMessageTests {
  /// What `then` has got: nil before it is called.
  private let reply = Lock<[[UInt8]]?>(nil)
  private let count = Lock(0)

  private var text: String? { reply.withLock { $0 }.map { String(decoding: $0.joined(), as: UTF8.self) } }

  private func ask(_ peer: Peer, _ message: String) throws {
    let message = try #require(Array(message.utf8).withUnsafeBytes { ClearedBytes($0) })
    peer.session.answer(message) { [reply, count] pieces in
      reply.withLock { $0 = pieces }
      count.withLock { $0 += 1 }
    }
  }

  @Test("Session.answer gives an unframed reply even if the message contains line feeds")
  func whole() throws {
    try ask(Peer(), "\n{\"jsonrpc\":\"2.0\",\r\n\"id\":1,\n\"method\":\"echo\",\"params\":[\n1\n]}\n\n")
    #expect(text == #"{"jsonrpc":"2.0","id":1,"result":[1]}"#)
    #expect(count.withLock { $0 } == 1)
  }

  @Test(
    "Invalid messages get error replies", arguments: ["", " ", "{", "[]", "1", "{}{}", "Content-Length: 2\r\n\r\n{}"])
  func malformed(message: String) throws {
    try ask(Peer(), message)
    #expect(text?.hasPrefix(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32"#) == true)
  }

  @Test("Session.answer calls back without a reply if the message has only notifications", arguments: ["{}", "[{}]"])
  func notification(shape: String) throws {
    let notification = #"{"jsonrpc":"2.0","method":"echo"}"#
    try ask(Peer(), shape.replacing("{}", with: notification))
    #expect(text == "")
  }

  @Test("Session.answer waits for the work of the message, and drops its progress and notifications")
  func work() throws {
    let peer = Peer()
    try ask(peer, later("1", "a"))
    #expect(text == nil)
    let notified = peer.handler.peer.withLock { $0 }?.notify("event", params: Array("{}".utf8))
    #expect(notified == true)
    peer.release("a")
    while text == nil { peer.waitForWork() }
    #expect(text == #"{"jsonrpc":"2.0","id":1,"result":true}"#)
  }

  @Test("Session.answer gives one array with the replies to a batch, in order")
  func batch() throws {
    let peer = Peer()
    try ask(peer, "[\(later("1", "a")),\(request("2", "echo"))]")
    peer.finish("a")
    #expect(text == #"[{"jsonrpc":"2.0","id":1,"result":true},{"jsonrpc":"2.0","id":2,"result":null}]"#)
  }

  @Test("When the peer disconnects, Session.answer gives what a call that waits for events has")
  func gone() throws {
    let peer = Peer()
    try ask(peer, steps("1", ["event a"], #""isWaiting":true"#))
    #expect(text == nil)
    peer.session.endOfInput()
    while text == nil { peer.waitForWork() }
    #expect(text == #"{"jsonrpc":"2.0","id":1,"result":"nothing yet"}"#)
  }

  @Test("Session.answer replies -32002 when the session is abandoned")
  func abandoned() throws {
    let peer = Peer()
    try ask(peer, later("1", "a"))
    peer.session.abandon()
    #expect(text?.contains("-32002") == true)
    #expect(count.withLock { $0 } == 1)
  }

  @Test("Session.answer leaves a long message to runLong, even if the peer has disconnected")
  func long() throws {
    let peer = Peer()
    peer.session.sharesThread = true
    try ask(peer, request("1", "echo") + String(repeating: " ", count: Session.longBytes))
    #expect(peer.session.hasLongWork)
    #expect(text == nil)
    peer.session.endOfInput()
    #expect(peer.session.hasLongWork)
    #expect(text == nil)
    #expect(!peer.session.isFinished)
    peer.session.runLong()
    #expect(text == #"{"jsonrpc":"2.0","id":1,"result":null}"#)
  }

  @Test("Session.answer can give a reply of 1 MB")
  func longReply() throws {
    let peer = Peer()
    try ask(peer, request("1", "big", "[1000000]"))
    #expect(reply.withLock { $0?.reduce(0) { $0 + $1.count } } ?? 0 > 1_000_000)
  }
}
