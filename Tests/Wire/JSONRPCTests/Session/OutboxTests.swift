import Testing

@testable import JSONRPC

@Suite("The outbox writes messages in order, and long messages in separate pieces")
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
    "The outbox gives out messages of any length in order, however many bytes are taken at once",
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

  @Test("The outbox frames a message of three parts as one message", arguments: [OutputFraming.ndjson, .contentLength])
  func parts(_ framing: OutputFraming) {
    var outbox = Outbox()
    outbox.append(head: Array("{\"a\":".utf8), body: Self.long, tail: Array("}".utf8), framing: framing)
    outbox.append(Array("[]".utf8), framing: framing)
    let message = Array("{\"a\":".utf8) + Self.long + Array("}".utf8)
    #expect(drain(&outbox) == framed([message, Array("[]".utf8)], framing))
  }

  @Test("The outbox does not copy a long message")
  func identity() {
    var outbox = Outbox()
    outbox.append(head: [], body: Self.long, tail: [], framing: .ndjson)
    let place = outbox.withBytes { $0.baseAddress }
    #expect(place == Self.long.withUnsafeBytes { $0.baseAddress })
  }

  @Test("The outbox replaces raw newlines in a long message with spaces")
  func newlines() {
    var outbox = Outbox()
    outbox.append(Self.long + [10] + Self.long, framing: .ndjson)
    #expect(drain(&outbox) == Self.long + [32] + Self.long + [10])
  }

  @Test("The outbox counts the bytes that were not taken yet, and is empty once it is closed")
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
