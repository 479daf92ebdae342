import JSONRPC
import TestSupport
import Testing

@Suite("The output of a session in pieces", .timeLimit(.minutes(5)), .ownThreads)
struct OutputPieceTests {
  @Test("While a session has output, withOutput returns at least one byte", arguments: [false, true])
  func neverEmpty(_ withHeaders: Bool) {
    let peer = Peer()
    var output = ""
    for (id, size) in [5, 100_000, 5, 70_000, 70_000, 65_500, 5].enumerated() {
      let message = request("\(id)", "big", "[\(size)]")
      peer.send(bytes: withHeaders ? framed(message) : Array("\(message)\n".utf8))
      while peer.session.hasOutput {
        let bytes = peer.session.withOutput { Array($0.prefix(1000 * (id + 1))) }
        #expect(!bytes.isEmpty)
        guard !bytes.isEmpty else { return }
        output += String(decoding: bytes, as: UTF8.self)
        peer.session.consumeOutput(bytes.count)
      }
    }
    let replies = withHeaders ? unframed(output) : output.split(separator: "\n").map(String.init)
    #expect(replies.count == 7)
    #expect(peer.session.inputIsOpen)
  }
}
