import JSONRPC
import Support

/// One connection from its first byte to its last reply, held as the transports hold it: nothing is delivered while the
/// session wants none, and what it has to say is taken in pieces.
struct Conversation {
  private let session: Session
  private let wakeUps: Semaphore
  private var output: [UInt8] = []

  init(_ input: FuzzInput) {
    let admission = input.needsToken ? Admission { $0.elementsEqual("t".utf8) } : nil
    let wakeUps = Semaphore()
    self.wakeUps = wakeUps
    let handler = FuzzHandler(admission: admission, readsParams: input.readsParams)
    session = Session(handler: handler, admission: admission, limits: input.limits) {
      wakeUps.signal()
    }
  }

  /// All that it answers.
  consuming func output(of pieces: [ArraySlice<UInt8>]) -> [UInt8] {
    for piece in pieces {
      while session.inputIsOpen && !session.wantsInput { advance() }
      guard session.inputIsOpen else { break }
      piece.withUnsafeBytes { session.receive($0) }
    }
    session.endOfInput()
    while !session.isFinished || session.hasOutput { advance() }
    return output
  }

  /// A session that can do neither, and is not done, waits here until libFuzzer's time limit makes it a finding.
  private mutating func advance() {
    if session.hasOutput { takeOutput() } else { wakeUps.wait() }
    session.run()
  }

  private mutating func takeOutput() {
    let taken = session.withOutput { bytes in
      let part = bytes.prefix(100)
      output += part
      return part.count
    }
    session.consumeOutput(taken)
  }
}

/// A whole connection: exactly one reply to every request, with its id. Of a script also: in order, the same bytes
/// whatever the pieces, the same replies in both framings.
func checkConversation(_ input: FuzzInput, _ frames: [Frame]) {
  let output = Conversation(input).output(of: [input.stream[...]])
  let pieceOutput = Conversation(input).output(of: input.pieces)
  let (replies, pieceReplies) = (parseReplies(output), parseReplies(pieceOutput))
  guard !input.needsToken else { return }
  let expected = frames.compactMap { expectedReply(to: $0, limits: input.limits.scan) }
  guard !frames.contains(where: { $0.isLively(input.limits.scan) }) else {
    checkComplete(replies, expected)
    return checkComplete(pieceReplies, expected)
  }
  check(replies.map(\.ids) == expected, "replies to \(replies.map(\.text)), not to \(expected.map(\.text))")
  check(output == pieceOutput, "the output differs by the pieces of the input")
  checkOtherFraming(input, frames, replies)
}

/// In any order.
private func checkComplete(_ replies: [Reply], _ expected: [ReplyIDs]) {
  let (found, expected) = (replies.map(\.text).sorted(), expected.map(\.text).sorted())
  check(found == expected, "replies to \(found), not to \(expected)")
}

/// The same lines behind Content-Length headers.
private func checkOtherFraming(_ input: FuzzInput, _ frames: [Frame], _ replies: [Reply]) {
  let isHeaders = input.stream.first { $0 > 0x20 }.map { $0 | 0x20 == UInt8(ascii: "c") } ?? true
  let messages = frames.compactMap { if case .message(let bytes) = $0 { bytes } else { nil } }
  guard !isHeaders, messages.count == frames.count - 1 else { return }
  let stream = messages.flatMap { Array("Content-Length: \($0.count)\r\n\r\n".utf8) + $0 }
  let others = parseReplies(Conversation(input).output(of: [stream[...]]))
  check(others.map(\.bytes) == replies.map(\.bytes), "the replies differ by the framing")
}
