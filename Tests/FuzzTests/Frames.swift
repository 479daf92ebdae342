import JSONRPC

/// A frame event whose bytes are its own.
enum Frame: Equatable {
  case message([UInt8])
  case failure(FramingFailure)
  case closed
}

func frames(of stream: ArraySlice<UInt8>, limits: SessionLimits) -> [Frame] {
  frames(of: [stream], limits: limits)
}

func pieceFrames(of input: FuzzInput) -> [Frame] {
  frames(of: input.pieces, limits: input.limits)
}

private func frames(of pieces: [ArraySlice<UInt8>], limits: SessionLimits) -> [Frame] {
  var decoder = FrameDecoder(maximumMessageBytes: limits.messageBytes)
  var frames: [Frame] = []
  for piece in pieces {
    piece.withUnsafeBytes { decoder.append($0) }
    take(from: &decoder, into: &frames)
  }
  decoder.endOfInput()
  take(from: &decoder, into: &frames)
  check(frames.last == .closed, "the last event is not the end")
  check(frames.count { $0 == .closed } == 1, "the end comes twice")
  return frames
}

private func take(from decoder: inout FrameDecoder, into frames: inout [Frame]) {
  while let event = decoder.next() {
    switch event {
    case .message(let bytes): frames.append(.message(Array(bytes)))
    case .failure(let failure): frames.append(.failure(failure))
    case .closed: frames.append(.closed)
    }
  }
}
