import JSONRPC
import Testing

/// How messages stand in the stream.
enum TranscriptFraming: CaseIterable {
  case lines, headers

  func input(_ messages: [[UInt8]]) -> [UInt8] {
    switch self {
    case .lines: messages.flatMap { $0 + Array("\n".utf8) }
    case .headers: messages.flatMap { Array("Content-Length: \($0.count)\r\n\r\n".utf8) + $0 }
    }
  }

  func messages(_ output: String) -> [String] {
    switch self {
    case .lines: output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    case .headers: unframed(output)
    }
  }
}

@Suite("The golden transcripts, in both framings", .timeLimit(.minutes(2)))
struct TranscriptTests {
  @Test("all at once", arguments: Transcript.all, TranscriptFraming.allCases)
  func atOnce(_ transcript: Transcript, _ framing: TranscriptFraming) {
    check(transcript, framing) { [$0] }
  }

  @Test("byte by byte", arguments: Transcript.all, TranscriptFraming.allCases)
  func byteByByte(_ transcript: Transcript, _ framing: TranscriptFraming) {
    check(transcript, framing) { input in input.map { [$0] } }
  }

  @Test("in random pieces", arguments: Transcript.all, TranscriptFraming.allCases)
  func randomPieces(_ transcript: Transcript, _ framing: TranscriptFraming) {
    var generator = SeededGenerator(seed: UInt64(transcript.received.count))
    for size in [2, 7, 40, 200] {
      check(transcript, framing) { $0.split(upTo: size, using: &generator) }
    }
  }

  @Test("the transcripts are there")
  func present() {
    #expect(Transcript.all.count >= 6)
  }

  private func check(_ transcript: Transcript, _ framing: TranscriptFraming, _ split: ([UInt8]) -> [[UInt8]]) {
    let peer = Peer()
    var output = ""
    for part in transcript.parts {
      for piece in split(framing.input(part.sent)) { peer.send(bytes: piece) }
      output += peer.takeOutput()
      while framing.messages(output).count < part.awaited {
        peer.waitForWork()
        output += peer.takeOutput()
      }
    }
    peer.session.endOfInput()
    while !peer.session.isFinished { peer.waitForWork() }
    let received = framing.messages(output + peer.takeOutput())
    #expect(received.count == transcript.received.count)
    for (received, expected) in zip(received, transcript.received) { #expect(received == expected) }
  }
}
