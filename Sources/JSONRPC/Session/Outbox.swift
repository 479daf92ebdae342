/// Framed messages on their way to the host, in pieces: a long message is a piece that is never copied.
struct Outbox {
  /// Small messages share a piece until it is this long.
  static let pieceBytes = 1 << 16

  private var pieces: [[UInt8]] = []
  /// Of the pieces, how many are gone.
  private var first = 0
  /// Bytes of the first piece left that are gone.
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

  /// One message of three parts. The body is kept as it is, and not copied.
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

  /// The next bytes: all there are when they are few.
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    guard first < pieces.count else { return body(UnsafeRawBufferPointer(start: nil, count: 0)) }
    return pieces[first].withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start...])) }
  }

  /// Of those that `withBytes` shows, so many from the front.
  mutating func consume(_ size: Int) {
    guard first < pieces.count else { return }
    let taken = min(pieces[first].count &- start, max(0, size))
    start &+= taken
    count &-= taken
    if start == pieces[first].count { dropFirst() }
  }

  /// Drops what is there and what will come.
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

  /// The last piece stays, to be filled anew, unless it is a long one: it alone may be empty, and only while nothing is
  /// behind it.
  private mutating func dropFirst() {
    start = 0
    guard first &+ 1 == pieces.count, pieces[first].capacity <= 2 &* Self.pieceBytes else { return forgetFirst() }
    if first > 0 { pieces.removeSubrange(..<first) }
    first = 0
    pieces[0].removeAll(keepingCapacity: true)
  }

  /// Its memory at once, its place when many have gathered.
  private mutating func forgetFirst() {
    pieces[first] = []
    first &+= 1
    guard first == pieces.count || first > 64 && first > pieces.count / 2 else { return }
    pieces.removeSubrange(..<first)
    first = 0
  }
}
