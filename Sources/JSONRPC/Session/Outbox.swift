/// Framed messages on their way to the host.
struct Outbox {
  private var bytes: [UInt8] = []
  private var start = 0
  private var isClosed = false

  var count: Int { bytes.count &- start }
  var isEmpty: Bool { start == bytes.count }

  mutating func append(_ message: [UInt8], framing: OutputFraming) {
    guard !isClosed else { return }
    message.withUnsafeBufferPointer { framing.append($0, to: &bytes) }
  }

  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start...])) }
  }

  mutating func consume(_ size: Int) {
    start &+= min(count, max(0, size))
    guard isEmpty else { return compactWhenWorthIt() }
    bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptCapacity)
    start = 0
  }

  /// Drops what is there and what will come.
  mutating func close() {
    isClosed = true
    consume(count)
  }

  private static let keptCapacity = 1 << 18

  /// So that a host that reads slowly but always does not make the buffer grow without end.
  private mutating func compactWhenWorthIt() {
    guard start > Self.keptCapacity, start > bytes.count / 2 else { return }
    bytes.removeSubrange(..<start)
    start = 0
  }
}
