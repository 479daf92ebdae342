import JSONRPC

/// One made-up connection. The first byte chooses its rules, the second one the pieces in which its bytes come; the
/// rest is what is sent.
struct FuzzInput {
  /// Small ones are passed by short inputs.
  let limits: SessionLimits
  let needsToken: Bool
  /// Whether methods of the API read their params.
  let readsParams: Bool
  let stream: [UInt8]
  /// What `stream` comes in, when it does not come at once.
  let pieces: [ArraySlice<UInt8>]

  init?(_ bytes: UnsafeBufferPointer<UInt8>, readsParams: Bool) {
    guard bytes.count >= 2 else { return nil }
    limits = bytes[0] & 1 == 0 ? SessionLimits() : .small
    needsToken = bytes[0] & 2 != 0
    self.readsParams = readsParams
    stream = Array(bytes[2...])
    pieces = stream.cut(bySeed: bytes[1])
  }
}

extension SessionLimits {
  fileprivate static var small: SessionLimits {
    var limits = SessionLimits()
    limits.messageBytes = 200
    limits.scan = ScanLimits(nesting: 4, values: 24, batch: 3, idBytes: 8)
    limits.replyBytes = 300
    limits.inFlight = 2
    limits.waitingRequests = 2
    limits.waitingBytes = 300
    limits.outputBytes = 256
    limits.unauthenticatedMessageBytes = 80
    return limits
  }
}

extension [UInt8] {
  /// Pieces of up to 1, 2, 4 … 128 bytes: the low bits of the seed say which.
  fileprivate func cut(bySeed seed: UInt8) -> [ArraySlice<UInt8>] {
    var pieces: [ArraySlice<UInt8>] = []
    var state = UInt32(seed)
    var rest = self[...]
    while !rest.isEmpty {
      state = state &* 1_664_525 &+ 1_013_904_223
      let size = 1 + Int(state >> 16) & (1 << Int(seed & 7) - 1)
      pieces.append(rest.prefix(size))
      rest = rest.dropFirst(size)
    }
    return pieces
  }
}
