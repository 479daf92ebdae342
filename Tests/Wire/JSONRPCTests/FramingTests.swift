import JSONRPC
import Testing

/// Input, and the events that it makes before `closed`, with a limit of 20 bytes.
let framingTable: [(input: String, events: [Event])] = {
  let tooLong = Event.failure(.tooLong(LimitExcess(.message, 20)))
  let twenty = String(repeating: "x", count: 20)
  let header = { (length: String) in "Content-Length: \(length)\r\n\r\n" }
  return [
    // Lines.
    ("", []), ("\n", []), (" \r\n\t\n  ", []),
    ("{}\n", [.message("{}")]), ("{}\r\n", [.message("{}")]), ("{}", [.message("{}")]), ("{}\r", [.message("{}")]),
    ("1\n2\r\n3", [.message("1"), .message("2"), .message("3")]),
    ("\n\n1\n\r\n \t \n2\n\n", [.message("1"), .message("2")]),
    ("  1 \n\t2\t\r\n", [.message("1 "), .message("2\t")]),
    ("1\r2\n", [.message("1\r2")]), ("1\r\r\n", [.message("1\r")]),
    ("1\nContent-Length: 1\n", [.message("1"), .message("Content-Length: 1")]),
    ("\u{FEFF}1\n", [.message("\u{FEFF}1")]), ("\0\n", [.message("\0")]),
    // Lines over the limit.
    (twenty + "\n1\n", [.message(twenty), .message("1")]), (twenty + "\r\n", [.message(twenty)]),
    (twenty + "\r", [.message(twenty)]), ("  " + twenty + "\n", [.message(twenty)]), (twenty, [.message(twenty)]),
    (twenty + "x\n1\n", [tooLong, .message("1")]), (twenty + "x", [tooLong]),
    (twenty + "x\r\n1", [tooLong, .message("1")]),
    (twenty + "\rx\n1\n", [tooLong, .message("1")]), (twenty + "\r\r\n1\n", [tooLong, .message("1")]),
    (twenty + twenty + twenty + "\n\n" + twenty + "x\n" + twenty, [tooLong, tooLong, .message(twenty)]),
    (String(repeating: " ", count: 50) + "1\n", [.message("1")]),
    // Headers.
    (header("2") + "{}", [.message("{}")]), (" \r\n\t" + header("2") + "{}", [.message("{}")]),
    ("content-length:2\r\n\r\n{}", [.message("{}")]), ("CONTENT-LENGTH: \t2 \r\n\r\n{}", [.message("{}")]),
    (header("1") + "1" + header("000000000000003") + "2\n3", [.message("1"), .message("2\n3")]),
    (header("0") + header("1") + "1", [.message(""), .message("1")]),
    ("Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n" + header("1") + "1", [.message("1")]),
    ("Content-Length: 1\r\ncontent-type: application/json;charset=UTF8\r\n\r\n1", [.message("1")]),
    ("Content-Length: 1\r\nContent-Type: application/vscode-jsonrpc\r\n\r\n1", [.message("1")]),
    ("Content-Length: 1\r\nContent-Type: a/b; charset=\"utf-8\" ; x=y\r\n\r\n1", [.message("1")]),
    // Bodies over the limit are skipped to the byte.
    (header("20") + twenty + header("1") + "1", [.message(twenty), .message("1")]),
    (header("21") + twenty + "x" + header("1") + "1", [tooLong, .message("1")]),
    (header("42") + header("1") + "1" + twenty + header("1") + "2", [tooLong, .message("2")]),
    (header("999999999999999") + twenty, [tooLong]), (header("21") + twenty + "x", [tooLong]),
    // Cut.
    (header("2") + "{", [.failure(.truncated)]), (header("2"), [.failure(.truncated)]), ("C", [.failure(.truncated)]),
    ("Content-Length: 2\r\n", [.failure(.truncated)]), (header("1") + "1Cont", [.message("1"), .failure(.truncated)]),
  ]
}()

/// Header blocks that end the stream.
let brokenHeaders = [
  "c\n", "Cookie: 1\r\n", "Content-Length\r\n", "Content-Length 2\r\n", "Content-Length: 2\n\n{}",
  "Content-Length : 2\r\n",
  "Content-Length:\r\n", "Content-Length: \r\n", "Content-Length: -1\r\n", "Content-Length: +1\r\n",
  "Content-Length: 1 2\r\n", "Content-Length: 0x2\r\n", "Content-Length: 2.0\r\n", "Content-Length: two\r\n",
  "Content-Length: 1234567890123456\r\n", "Content-Length: 99999999999999999999999999\r\n",
  "Content-Length: 2\r\nContent-Length: 2\r\n", "Content-Length: 2\r\nX: y\r\n", "Content-Length: 2\r\n: y\r\n",
  "Content-Length: 2\r\n Content-Type: a/b\r\n", "Content-Type: a/b\r\n\r\n", "Content-Type: a/b; charset=latin1\r\n",
  "Content-Type:\r\n", "Content-Type: text\r\n", "Content-Type: a/b; charset=\r\n", "Content-Type: a/b; charset\r\n",
  "Content-Type: a/b;\r\n", "Content-Type: ; charset=utf-8\r\n", "Content-Type: a/b; charset=utf-16\r\n",
  "Content-Length: 0\r\n\r\n\r\n", "Content-Length: 1\r\n\r\n1\nContent-Length: 1\r\n\r\n1",
  "Content-Type: a/b; x=" + String(repeating: "y", count: 4096), "C" + String(repeating: "\u{0}", count: 5000),
]

@Suite("The frame decoder reads messages from bytes in pieces of any size")
struct FramingTests {
  @Test("The frame decoder reads messages from input that arrives all at once", arguments: framingTable)
  func atOnce(_ input: String, _ expected: [Event]) {
    #expect(events([Array(input.utf8)], limit: 20) == expected + [.closed])
  }

  @Test("The frame decoder reads the same messages from input that arrives byte by byte", arguments: framingTable)
  func byteByByte(_ input: String, _ expected: [Event]) {
    #expect(events(input.utf8.map { [$0] }, limit: 20) == expected + [.closed])
  }

  @Test("The frame decoder reads the same messages from input that arrives in random pieces", arguments: framingTable)
  func randomPieces(_ input: String, _ expected: [Event]) {
    var generator = SeededGenerator(seed: UInt64(input.utf8.count))
    for _ in 0..<40 {
      let pieces = Array(input.utf8).split(upTo: 30, using: &generator)
      #expect(events(pieces, limit: 20) == expected + [.closed])
    }
  }

  @Test("An invalid frame header is a single error, after which the stream is closed", arguments: brokenHeaders)
  func broken(_ input: String) {
    let more = input + "\r\nContent-Length: 2\r\n\r\n{}"
    for chunks in [[Array(more.utf8)], more.utf8.map { [$0] }] {
      let all = events(chunks)
      #expect(all.suffix(2) == [.failure(.header), .closed])
      #expect(all.filter { $0 == .failure(.header) }.count == 1)
    }
  }

  @Test("A frame header may have 4,096 bytes, and no more", arguments: [(0, true), (1, false), (500, false)])
  func headerLimit(_ excess: Int, _ passes: Bool) {
    let fixed = "Content-Length: 1\r\nContent-Type: a/b; x=\r\n\r\n"
    let filler = String(repeating: "y", count: 4096 - fixed.utf8.count + excess)
    let input = Array("Content-Length: 1\r\nContent-Type: a/b; x=\(filler)\r\n\r\n1".utf8)
    let expected = passes ? [Event.message("1"), .closed] : [.failure(.header), .closed]
    #expect(events([input]) == expected)
    #expect(events(input.map { [$0] }) == expected)
  }

  @Test(
    "The frame decoder detects whether its peer sends lines or Content-Length headers",
    arguments: [
      ("", OutputFraming.ndjson), (" {", .ndjson), ("\nc", .contentLength), ("C", .contentLength),
    ])
  func answersLikeThePeer(_ input: String, _ expected: OutputFraming) {
    var decoder = FrameDecoder()
    Array(input.utf8).withUnsafeBytes { decoder.append($0) }
    _ = decoder.next()
    #expect(decoder.framing == expected)
  }

  @Test("The frame decoder can be filled in place with at most the requested number of bytes")
  func fillsInPlace() {
    var decoder = FrameDecoder()
    let filled = decoder.append(upTo: 10) { room in
      room.copyBytes(from: Array("12\n34\n5".utf8))
      return 7
    }
    var seen: [Event] = []
    while let event = decoder.next() { seen.append(Event(event)) }
    #expect(filled == 7)
    #expect(seen == [.message("12"), .message("34")])
    #expect(decoder.append(upTo: 10) { _ in 99 } == 10)
    #expect(decoder.append(upTo: -1) { _ in -1 } == 0)
  }

  @Test("The frame decoder applies a raised limit of message bytes from the next message on")
  func raisesLimit() {
    var decoder = FrameDecoder(maximumMessageBytes: 4)
    Array("12345\n1234\n12345\n123".utf8).withUnsafeBytes { decoder.append($0) }
    #expect(decoder.next().map(Event.init) == .failure(.tooLong(LimitExcess(.message, 4))))
    #expect(decoder.next().map(Event.init) == .message("1234"))
    decoder.maximumMessageBytes = 5
    #expect(decoder.next().map(Event.init) == .message("12345"))
    #expect(decoder.next() == nil)
  }

  @Test("The frame decoder closes once and ignores bytes after the end of input")
  func closesOnce() {
    var decoder = FrameDecoder()
    decoder.endOfInput()
    #expect(decoder.next().map(Event.init) == .closed)
    Array("1\n".utf8).withUnsafeBytes { decoder.append($0) }
    #expect(decoder.append(upTo: 10) { _ in 5 } == 0)
    #expect(decoder.next() == nil)
  }
}
