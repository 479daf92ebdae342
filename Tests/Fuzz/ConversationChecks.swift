import JSONRPC

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
