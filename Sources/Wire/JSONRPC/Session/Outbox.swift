/// Framed messages on their way to the host, in pieces. A long message is a piece of its own and is never copied.
struct Outbox {
  /// Small messages share a piece until it reaches this length.
  static let pieceBytes = 1 << 16

  private var pieces: [[UInt8]] = []
  /// The number of pieces that are sent.
  private var first = 0
  /// The number of bytes of the first remaining piece that are sent.
  private var start = 0
  private(set) var count = 0
  private var isClosed = false

  var isEmpty: Bool { count == 0 }

  mutating func append(_ message: [UInt8], framing: OutputFraming) {
    guard message.count < Self.pieceBytes else {
      return append(head: [], body: message, tail: [], framing: framing)
    }
    guard !isClosed else { return }
    let piece = openPiece()
    let before = pieces[piece].count
    message.withUnsafeBufferPointer { framing.append($0, to: &pieces[piece]) }
    count &+= pieces[piece].count &- before
  }

  /// Appends one message in three parts. The body is not copied.
  mutating func append(head: [UInt8], body: [UInt8], tail: [UInt8], framing: OutputFraming) {
    guard !isClosed else { return }
    let size = head.count + body.count + tail.count
    write(framing.header(byteCount: size))
    write(OutputFraming.withoutNewlines(head))
    if pieces.last?.isEmpty == true { pieces.removeLast() }
    pieces.append(OutputFraming.withoutNewlines(body))
    count += body.count
    write(OutputFraming.withoutNewlines(tail))
    write(framing.terminator)
  }

  /// The next bytes: all of them if there are few.
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    guard first < pieces.count else { return body(UnsafeRawBufferPointer(start: nil, count: 0)) }
    return pieces[first].withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start...])) }
  }

  /// Removes bytes that `withBytes` showed, from the front.
  mutating func consume(_ size: Int) {
    guard first < pieces.count else { return }
    let taken = min(pieces[first].count &- start, max(0, size))
    start &+= taken
    count &-= taken
    if start == pieces[first].count { dropFirst() }
  }

  /// Takes all bytes at once, in pieces.
  mutating func takeAll() -> [[UInt8]] {
    var taken = Array(pieces[first...])
    if start > 0 { taken[0].removeFirst(start) }
    pieces = []
    (first, start, count) = (0, 0, 0)
    return taken
  }

  /// Drops all current and future messages.
  mutating func close() {
    isClosed = true
    pieces = []
    (first, start, count) = (0, 0, 0)
  }

  private mutating func write(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    pieces[openPiece()] += bytes
    count += bytes.count
  }

  /// The index of the piece that takes small messages.
  private mutating func openPiece() -> Int {
    if first == pieces.count || pieces[pieces.count &- 1].count >= Self.pieceBytes { pieces.append([]) }
    return pieces.count &- 1
  }

  /// Keeps the last piece for reuse, unless it is a long one. Only the last piece may be empty, and only while it is
  /// the last.
  private mutating func dropFirst() {
    start = 0
    guard first &+ 1 == pieces.count, pieces[first].capacity <= 2 &* Self.pieceBytes else { return forgetFirst() }
    if first > 0 { pieces.removeSubrange(..<first) }
    first = 0
    pieces[0].removeAll(keepingCapacity: true)
  }

  /// Frees its memory at once, and its place when many have gathered.
  private mutating func forgetFirst() {
    pieces[first] = []
    first &+= 1
    guard first == pieces.count || first > 64 && first > pieces.count / 2 else { return }
    pieces.removeSubrange(..<first)
    first = 0
  }
}
