import Testing

@testable import JSONRPC

@Suite("What goes to the host is written in order, long messages in pieces of their own")
struct OutboxTests {
  private static let long = [UInt8](repeating: UInt8(ascii: "x"), count: Outbox.pieceBytes)

  /// Everything, taken in pieces of at most `size` bytes.
  private func drain(_ outbox: inout Outbox, upTo size: Int = .max) -> [UInt8] {
    var output: [UInt8] = []
    while !outbox.isEmpty {
      let taken = outbox.withBytes { bytes in
        output += bytes.prefix(size)
        return min(size, bytes.count)
      }
      outbox.consume(taken)
    }
    return output
  }

  private func framed(_ messages: [[UInt8]], _ framing: OutputFraming) -> [UInt8] {
    var output: [UInt8] = []
    for message in messages { message.withUnsafeBufferPointer { framing.append($0, to: &output) } }
    return output
  }

  @Test(
    "messages of all lengths come out as they went in, whatever is taken at once",
    arguments: [OutputFraming.ndjson, .contentLength], [1 << 10, 65_537, .max])
  func order(_ framing: OutputFraming, _ size: Int) {
    var outbox = Outbox()
    var messages: [[UInt8]] = []
    for count in [0, 1, 65_535, 65_536, 65_537, 3, 200_000, 200_000, 70, 60_000, 60_000] {
      let message = [UInt8](repeating: UInt8(truncatingIfNeeded: 32 + messages.count), count: count)
      messages.append(message)
      outbox.append(message, framing: framing)
    }
    let expected = framed(messages, framing)
    #expect(outbox.count == expected.count)
    #expect(drain(&outbox, upTo: size) == expected)
    #expect(outbox.isEmpty)
  }

  @Test("a message of three parts is framed as one", arguments: [OutputFraming.ndjson, .contentLength])
  func parts(_ framing: OutputFraming) {
    var outbox = Outbox()
    outbox.append(head: Array("{\"a\":".utf8), body: Self.long, tail: Array("}".utf8), framing: framing)
    outbox.append(Array("[]".utf8), framing: framing)
    let message = Array("{\"a\":".utf8) + Self.long + Array("}".utf8)
    #expect(drain(&outbox) == framed([message, Array("[]".utf8)], framing))
  }

  @Test("a long message is not copied")
  func identity() {
    var outbox = Outbox()
    outbox.append(head: [], body: Self.long, tail: [], framing: .ndjson)
    let place = outbox.withBytes { $0.baseAddress }
    #expect(place == Self.long.withUnsafeBytes { $0.baseAddress })
  }

  @Test("raw newlines in a long message become spaces")
  func newlines() {
    var outbox = Outbox()
    outbox.append(Self.long + [10] + Self.long, framing: .ndjson)
    #expect(drain(&outbox) == Self.long + [32] + Self.long + [10])
  }

  @Test("what was never taken is counted, until the outbox is closed")
  func closes() {
    var outbox = Outbox()
    outbox.append(Self.long, framing: .ndjson)
    outbox.consume(10)
    #expect(outbox.count == Self.long.count + 1 - 10)
    outbox.close()
    outbox.append(Self.long, framing: .ndjson)
    #expect(outbox.isEmpty)
    #expect(drain(&outbox).isEmpty)
  }
}
