import JSONRPC
import TestSupport
import Testing

/// How messages stand in the stream.
enum TranscriptFraming: Sendable {
  case lines, headers
  /// As the transcript has it.
  case raw

  func input(_ part: Transcript.Part, of transcript: Transcript) -> [UInt8] {
    switch self {
    case .lines: part.sent.flatMap { $0 + Array("\n".utf8) }
    case .headers: part.sent.flatMap { Array("Content-Length: \($0.count)\r\n\r\n".utf8) + $0 }
    case .raw: transcript.sentBytes
    }
  }

  func expected(_ transcript: Transcript) -> [String] {
    self == .raw ? [String(decoding: transcript.receivedBytes, as: UTF8.self)] : transcript.received
  }

  func messages(_ output: String) -> [String] {
    switch self {
    case .lines: output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    case .headers: unframed(output)
    case .raw: [output]
    }
  }
}

private let connections = Transcript.all.flatMap { transcript -> [(Transcript, TranscriptFraming)] in
  transcript.isRaw ? [(transcript, .raw)] : [(transcript, .lines), (transcript, .headers)]
}

@Suite("The golden transcripts, in both framings", .timeLimit(.minutes(5)), .ownThreads)
struct TranscriptTests {
  @Test("A session replies as in each transcript if the input arrives all at once", arguments: connections)
  func atOnce(_ transcript: Transcript, _ framing: TranscriptFraming) {
    check(transcript, framing) { [$0] }
  }

  @Test("A session replies as in each transcript if the input arrives byte by byte", arguments: connections)
  func byteByByte(_ transcript: Transcript, _ framing: TranscriptFraming) {
    check(transcript, framing) { input in input.map { [$0] } }
  }

  @Test("A session replies as in each transcript if the input arrives in random pieces", arguments: connections)
  func randomPieces(_ transcript: Transcript, _ framing: TranscriptFraming) {
    var generator = SeededGenerator(seed: UInt64(transcript.received.count))
    for size in [2, 7, 40, 200] {
      check(transcript, framing) { $0.split(upTo: size, using: &generator) }
    }
  }

  @Test("There are at least 50 transcripts, and every line of them can be read")
  func present() {
    #expect(Transcript.all.count >= 50)
    for transcript in Transcript.all {
      #expect(!transcript.hasFault, "\(transcript.name)")
      #expect(transcript.isRaw == transcript.sent.isEmpty, "\(transcript.name)")
    }
  }

  private func check(_ transcript: Transcript, _ framing: TranscriptFraming, _ split: ([UInt8]) -> [[UInt8]]) {
    let admission = transcript.token.map { token in Admission(verify: { $0.elementsEqual(token.utf8) }) }
    let peer = Peer(limits: transcript.limits, admission: admission)
    var output = ""
    for part in transcript.parts {
      for piece in split(framing.input(part, of: transcript)) { peer.send(bytes: piece) }
      output += peer.takeOutput()
      while framing.messages(output).count < part.awaited {
        peer.waitForWork()
        output += peer.takeOutput()
      }
    }
    peer.session.endOfInput()
    output += peer.takeOutput()
    while !peer.session.isFinished || peer.session.hasOutput {
      if !peer.session.hasOutput { peer.waitForWork() }
      output += peer.takeOutput()
    }
    let (received, all) = (framing.messages(output), framing.expected(transcript))
    #expect(received.count == all.count)
    for (received, expected) in zip(received, all) { #expect(received == expected) }
  }
}
