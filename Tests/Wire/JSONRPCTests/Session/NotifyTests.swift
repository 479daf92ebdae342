import JSONRPC
import Support
import TestSupport
import Testing

private let params = Array(#"{"a":1}"#.utf8)
private let line = #"{"jsonrpc":"2.0","method":"event","params":{"a":1}}"#

@Suite("Notifications to the host", .timeLimit(.minutes(5)), .ownThreads)
struct NotifyTests {
  private static func makePeer(outputBytes: Int = 8 << 20) -> (Peer, any JSONRPC.Peer) {
    var limits = SessionLimits()
    limits.outputBytes = outputBytes
    let peer = Peer(limits: limits)
    guard let out = peer.handler.peer.withLock({ $0 }) else { preconditionFailure("no connection") }
    return (peer, out)
  }

  /// As many as are taken.
  private static func fill(_ out: any JSONRPC.Peer) -> Int {
    var count = 0
    while count < 100_000, out.notify("event", params: params) { count += 1 }
    return count
  }

  private static func count(_ out: any JSONRPC.Peer, into counter: Lock<Int>) {
    out.whenReady { counter.withLock { $0 += 1 } }
  }

  @Test("Notifications and replies are sent in the order in which they were queued")
  func order() {
    let (peer, out) = Self.makePeer()
    peer.send(request("1", "echo"))
    #expect(out.notify("event", params: params))
    peer.send(request("2", "echo"))
    #expect(out.notify("event", params: params))
    peer.session.run()
    let lines = peer.takeLines()
    #expect(lines.map { $0 == line } == [false, true, false, true])
    #expect([lines[0], lines[2]].map(summary(ofLine:)) == ["1: null", "2: null"])
  }

  @Test("Notifications are dropped while the host does not read", arguments: [true, false])
  func dropped(_ isSeen: Bool) {
    let (peer, out) = Self.makePeer(outputBytes: 4000)
    let taken = Self.fill(out)
    #expect((2000 / line.utf8.count...2000 / line.utf8.count + 1).contains(taken))
    if isSeen { peer.session.run() }
    #expect(!out.notify("event", params: params))
    peer.send(request("1", "echo"))
    #expect(peer.takeLines().count == taken + 1)
    #expect(out.notify("event", params: params))
  }

  @Test("whenReady calls back once, when half of the room for notifications is free again")
  func ready() {
    let (peer, out) = Self.makePeer(outputBytes: 4000)
    let counter = Lock(0)
    _ = Self.fill(out)
    Self.count(out, into: counter)
    Self.count(out, into: counter)
    peer.session.run()
    peer.session.consumeOutput(900)
    #expect(counter.withLock { $0 } == 0)
    peer.session.consumeOutput(200)
    #expect(counter.withLock { $0 } == 2)
    _ = peer.takeOutput()
    peer.session.run()
    #expect(counter.withLock { $0 } == 2)
  }

  @Test("whenReady calls back at once if there is room or the connection is closed")
  func readyAtOnce() {
    let (peer, out) = Self.makePeer(outputBytes: 4000)
    let counter = Lock(0)
    Self.count(out, into: counter)
    #expect(counter.withLock { $0 } == 1)
    peer.session.discardOutput()
    Self.count(out, into: counter)
    #expect(counter.withLock { $0 } == 2)
    #expect(!out.notify("event", params: params))
  }

  @Test("A waiting whenReady callback is called when the connection ends", arguments: [true, false])
  func over(_ isDiscarded: Bool) {
    let counter = Lock(0)
    var (peer, out): (Peer?, any JSONRPC.Peer) = Self.makePeer(outputBytes: 4000)
    _ = Self.fill(out)
    Self.count(out, into: counter)
    if isDiscarded { peer?.session.discardOutput() }
    peer = nil
    #expect(counter.withLock { $0 } == 1)
    #expect(!out.notify("event", params: params))
  }

  @Test("Notifications are still sent after the end of input")
  func endOfInput() {
    let (peer, out) = Self.makePeer()
    peer.send(later("1", "a"))
    peer.session.endOfInput()
    #expect(out.notify("event", params: params))
    peer.session.run()
    #expect(peer.takeLines() == [line])
  }

  @Test("Notifications are framed as the host frames its requests")
  func framing() {
    let (peer, out) = Self.makePeer()
    peer.send(bytes: framed(request("1", "echo")))
    #expect(out.notify("event", params: Array("{\n\"a\":1}".utf8)))
    peer.session.run()
    #expect(unframed(peer.takeOutput()).last == #"{"jsonrpc":"2.0","method":"event","params":{ "a":1}}"#)
  }
}
