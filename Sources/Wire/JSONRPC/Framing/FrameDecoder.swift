import Glibc

/// Splits the bytes of one connection into messages, however the bytes arrive.
///
/// NDJSON, unless the first byte that is not white space is `C` or `c`: then Content-Length headers as in LSP. Call
/// `next` after each append until it returns `nil`, so that a message over the limit is never stored.
package struct FrameDecoder: ~Copyable {
  package static let maximumHeaderBytes = 4096

  private enum State {
    case undecided
    case line
    case skippedLine
    case header(size: Int, length: Int?)
    case body(Int)
    case skippedBody(Int)
    case closing
    case closed
  }

  private enum Lack { case skipsMessage, endsInput }

  private enum Step {
    case event(FrameEvent)
    case again
    case wait
  }

  /// May change between two events; applies from the next message on.
  package var maximumMessageBytes: Int
  private var buffer = InputBuffer()
  private var state = State.undecided
  private var hasEnded = false
  /// What was lost because the system had no memory, until it is reported.
  private var lack: Lack?
  /// The number of bytes at the start of the pending line that contain no line feed.
  private var searched = 0
  /// The framing of the peer, which the replies use, too; NDJSON until known.
  package private(set) var framing = OutputFraming.ndjson

  package init(maximumMessageBytes: Int = 64 << 20) {
    self.maximumMessageBytes = maximumMessageBytes
  }

  /// The memory for input, in bytes.
  package var capacity: Int { buffer.capacity }

  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard isOpen, !buffer.append(bytes) else { return }
    giveUpMessage()
    if !buffer.append(bytes) { lack = .endsInput }
  }

  /// Lets `fill` write up to `size` bytes directly into the buffer and return their number, which this also returns.
  /// Does not call `fill` if no further bytes could be a message.
  package mutating func append(upTo size: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
    guard isOpen else { return 0 }
    if !buffer.makeRoom(for: size) { giveUpMessage() }
    return buffer.append(upTo: size, fill)
  }

  /// Frees memory when the system has none, by dropping the incomplete message. Ends the input if the extent of the
  /// loss is unknown; complete messages in the buffer are still delivered.
  private mutating func giveUpMessage() {
    guard !hasWholeMessage else { return lack = .endsInput }
    switch state {
    case .body(let length): state = .skippedBody(length &- buffer.count)
    case .line: state = .skippedLine
    case .undecided, .skippedLine, .header, .skippedBody, .closing, .closed: return lack = .endsInput
    }
    lack = .skipsMessage
    searched = 0
    buffer.dropAll()
  }

  /// The number of bytes that were not consumed yet.
  var pendingByteCount: Int { buffer.count }

  /// Whether the next event is a message or the end of one; false if more bytes are needed first.
  var hasWholeMessage: Bool {
    mutating get {
      switch state {
      case .line:
        guard lineFeed(from: searched) == nil else { return true }
        if searched > 0 { searched = buffer.count }
        return hasEnded
      case .body(let length): return buffer.count >= length || hasEnded
      case .undecided, .skippedLine, .header, .skippedBody, .closing, .closed: return false
      }
    }
  }

  /// No more bytes will arrive. Pending bytes are a message, or were cut off.
  package mutating func endOfInput() { hasEnded = true }

  /// `nil` if more bytes are needed, and after `closed`.
  package mutating func next() -> FrameEvent? {
    while true {
      switch step() {
      case .event(let event): return event
      case .again: continue
      case .wait:
        buffer.shrink()
        return nil
      }
    }
  }

  private var isOpen: Bool {
    switch state {
    case .closing, .closed: false
    default: !hasEnded && lack != .endsInput
    }
  }

  private mutating func step() -> Step {
    if let lack, lack == .skipsMessage || !hasWholeMessage {
      self.lack = nil
      return fail(.outOfMemory, then: lack == .skipsMessage ? state : .closing)
    }
    return switch state {
    case .undecided: decide()
    case .line: line()
    case .skippedLine: skipLine()
    case .header(let size, let length): header(size: size, length: length)
    case .body(let length): body(length)
    case .skippedBody(let rest): skipBody(rest)
    case .closing: close()
    case .closed: .wait
    }
  }

  private mutating func close() -> Step {
    state = .closed
    buffer.dropAll()
    buffer.clear()
    return .event(.closed)
  }

  private mutating func waitOrClose() -> Step { hasEnded ? close() : .wait }

  private mutating func fail(_ failure: FramingFailure, then state: State) -> Step {
    self.state = state
    return .event(.failure(failure))
  }

  private var excess: FramingFailure { .tooLong(LimitExcess(.message, maximumMessageBytes)) }

  private mutating func decide() -> Step {
    dropWhitespace()
    guard let first = buffer.bytes.first else { return waitOrClose() }
    if first | 0x20 == UInt8(ascii: "c") {
      state = .header(size: 0, length: nil)
      framing = .contentLength
    } else {
      state = .line
    }
    return .again
  }

  private mutating func dropWhitespace() {
    let bytes = buffer.bytes
    buffer.drop(bytes.firstIndex { !ASCII.isWhitespace($0) } ?? bytes.count)
  }

  /// The offset of the first line feed.
  private func lineFeed(from start: Int = 0) -> Int? {
    let bytes = buffer.bytes
    guard let base = bytes.baseAddress, start < bytes.count else { return nil }
    let found = memchr(base + start, CInt(ASCII.lineFeed), bytes.count &- start)
    return found.map { UnsafeRawPointer($0) - base }
  }
}

// MARK: - NDJSON

extension FrameDecoder {
  /// White space before a message is not part of it, so blank lines are skipped.
  private mutating func line() -> Step {
    if searched == 0 { dropWhitespace() }
    if let end = lineFeed(from: searched) { return finishLine(end, terminator: 1) }
    searched = buffer.count
    if lengthWithoutReturn(searched) > maximumMessageBytes {
      buffer.dropAll()
      searched = 0
      return fail(excess, then: .skippedLine)
    }
    guard hasEnded else { return .wait }
    return buffer.isEmpty ? close() : finishLine(searched, terminator: 0)
  }

  private mutating func finishLine(_ end: Int, terminator: Int) -> Step {
    let length = lengthWithoutReturn(end)
    let message = UnsafeRawBufferPointer(rebasing: buffer.bytes[..<length])
    buffer.drop(end &+ terminator)
    searched = 0
    if length > maximumMessageBytes { return fail(excess, then: .line) }
    return .event(.message(message.bindMemory(to: UInt8.self)))
  }

  private func lengthWithoutReturn(_ length: Int) -> Int {
    length > 0 && buffer.bytes[length &- 1] == ASCII.carriageReturn ? length &- 1 : length
  }

  private mutating func skipLine() -> Step {
    guard let end = lineFeed() else {
      buffer.dropAll()
      return waitOrClose()
    }
    buffer.drop(end &+ 1)
    state = .line
    return .again
  }
}

// MARK: - Content-Length

extension FrameDecoder {
  private mutating func header(size: Int, length: Int?) -> Step {
    guard let end = lineFeed(), size &+ end < Self.maximumHeaderBytes else {
      return incompleteHeader(size: size)
    }
    let line = UnsafeRawBufferPointer(rebasing: buffer.bytes[...end])
    let field = HeaderField(line: line)
    buffer.drop(end &+ 1)
    switch (field, length) {
    case (.contentLength(let value), nil): state = .header(size: size &+ end &+ 1, length: value)
    case (.contentType, _): state = .header(size: size &+ end &+ 1, length: length)
    case (.end, let length?) where length > maximumMessageBytes: return fail(excess, then: .skippedBody(length))
    case (.end, let length?): state = .body(length)
    default: return fail(.header, then: .closing)
    }
    return .again
  }

  private mutating func incompleteHeader(size: Int) -> Step {
    if size &+ buffer.count >= Self.maximumHeaderBytes { return fail(.header, then: .closing) }
    guard hasEnded else { return .wait }
    return size == 0 && buffer.isEmpty ? close() : fail(.truncated, then: .closing)
  }

  private mutating func body(_ length: Int) -> Step {
    guard buffer.count >= length else { return hasEnded ? fail(.truncated, then: .closing) : .wait }
    let message = UnsafeRawBufferPointer(rebasing: buffer.bytes[..<length])
    buffer.drop(length)
    state = .header(size: 0, length: nil)
    return .event(.message(message.bindMemory(to: UInt8.self)))
  }

  private mutating func skipBody(_ rest: Int) -> Step {
    let skipped = min(rest, buffer.count)
    buffer.drop(skipped)
    state = skipped == rest ? .header(size: 0, length: nil) : .skippedBody(rest &- skipped)
    return skipped == rest ? .again : waitOrClose()
  }
}

/// The next event in the bytes of a connection.
package enum FrameEvent {
  /// One message, possibly empty, which was not examined. Valid until the next call of the decoder.
  case message(UnsafeBufferPointer<UInt8>)
  /// Must be answered with one error with id null.
  case failure(FramingFailure)
  /// No more messages will come. Happens once, as the last event.
  case closed
}

/// The reason why bytes are not a message.
package enum FramingFailure: Error, Hashable {
  /// The header block breaks the rules of the framing; everything after it is lost.
  case header
  /// The input ended inside a header block or a message.
  case truncated
  /// A message is over the limit; the stream continues after it.
  case tooLong(LimitExcess)
  /// The system has no memory for a message within the limit. The stream continues after it, unless more than one
  /// message was lost.
  case outOfMemory

  package var code: RPCErrorCode {
    switch self {
    case .header, .truncated: .parseError
    case .tooLong: .limitExceeded
    case .outOfMemory: .internalError
    }
  }

  /// One line for people.
  package var message: String {
    switch self {
    case .header: "the header block is not Content-Length with an optional Content-Type in UTF-8"
    case .truncated: "the input ended inside a message"
    case .tooLong(let excess): "the message is longer than \(excess.value) bytes"
    case .outOfMemory: "the system is out of memory for the message"
    }
  }
}
