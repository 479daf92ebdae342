import JSONRPC
import Testing

@Suite("The memory of a connection stays bounded")
struct FrameMemoryTests {
  private static let chunk = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 16)

  /// What the decoder says to a chunk, and the most memory it held.
  private func feed(_ decoder: inout FrameDecoder, _ bytes: [UInt8], _ peak: inout Int) -> [Event] {
    bytes.withUnsafeBytes { decoder.append($0) }
    var events: [Event] = []
    while let event = decoder.next() { events.append(Event(event)) }
    peak = max(peak, decoder.capacity)
    return events
  }

  @Test("A line of 200 MB is refused when it passes the limit, and skipped without being stored")
  func longLine() {
    var decoder = FrameDecoder(maximumMessageBytes: 1 << 20)
    var peak = 0
    var seen: [Event] = []
    for index in 0..<3200 {
      seen += feed(&decoder, Self.chunk, &peak)
      #expect(seen.count == (index < 16 ? 0 : 1))
    }
    seen += feed(&decoder, Array("\n{}\n".utf8), &peak)
    #expect(seen == [.failure(.tooLong(LimitExcess(.message, 1 << 20))), .message("{}")])
    #expect(peak <= 4 << 20)
    #expect(decoder.capacity <= 1 << 18)
  }

  @Test("A body of 200 MB is refused, and skipped to its last byte without being stored")
  func longBody() {
    var decoder = FrameDecoder(maximumMessageBytes: 1 << 20)
    var peak = 0
    var seen = feed(&decoder, Array("Content-Length: \(3200 << 16)\r\n\r\n".utf8), &peak)
    #expect(seen == [.failure(.tooLong(LimitExcess(.message, 1 << 20)))])
    for _ in 0..<3200 { seen += feed(&decoder, Self.chunk, &peak) }
    seen += feed(&decoder, Array("Content-Length: 2\r\n\r\n{}".utf8), &peak)
    #expect(seen.last == .message("{}"))
    #expect(seen.count == 2)
    #expect(peak <= 1 << 18)
  }

  @Test("The frame decoder gives back the memory of a large message")
  func shrinks() {
    var decoder = FrameDecoder()
    var peak = 0
    for _ in 0..<160 { _ = feed(&decoder, Self.chunk, &peak) }
    #expect(peak >= 160 << 16)
    #expect(feed(&decoder, Array("\n{".utf8), &peak).count == 1)
    #expect(decoder.capacity <= 1 << 18)
    #expect(feed(&decoder, Array("}\n".utf8), &peak) == [.message("{}")])
  }

  @Test("InputBuffer clears the memory that it has moved bytes from")
  func moves() {
    var buffer = InputBuffer()
    let (other, secret) = (UInt8(ascii: "x"), UInt8(ascii: "s"))
    let bytes = [UInt8](repeating: other, count: 59_000) + [UInt8](repeating: secret, count: 1000)
    #expect(bytes.withUnsafeBytes { buffer.append($0) })
    buffer.drop(59_000)
    let filled = buffer.append(upTo: 64_000) { room in
      #expect(room.count == 64_000)
      #expect(!room.prefix(59_000).contains { $0 == secret || $0 == other })
      return 0
    }
    #expect(filled == 0)
    #expect(buffer.count == 1000)
  }

  @Test("The frame decoder needs at most 256 KiB of memory for many small messages")
  func smallMessages() {
    var decoder = FrameDecoder()
    var peak = 0
    let lines = [UInt8](repeating: 0, count: 9000).flatMap { _ in Array("1234567\n".utf8) } + Array("12".utf8)
    var count = 0
    for _ in 0..<20 { count += feed(&decoder, lines, &peak).count }
    #expect(count == 20 * 9000)
    #expect(peak <= 1 << 18)
  }
}
