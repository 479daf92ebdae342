import Glibc

/// Cuts the bytes of one connection into messages, in whatever pieces they come.
///
/// NDJSON, unless the first byte that is not white space is `C` or `c`: then Content-Length headers as in LSP. Call
/// `next` until it returns nil after each append: what is over a limit is then never stored.
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

  /// May change between two events: the next message is held to the new one.
  package var maximumMessageBytes: Int
  private var buffer = InputBuffer()
  private var state = State.undecided
  private var hasEnded = false
  /// What the system's lack of memory has cost, until it is told.
  private var lack: Lack?
  /// Bytes of the pending line in which there is no line feed.
  private var searched = 0
  /// The framing of the peer, and so of the answers; NDJSON until known.
  package private(set) var framing = OutputFraming.ndjson

  package init(maximumMessageBytes: Int = 64 << 20) {
    self.maximumMessageBytes = maximumMessageBytes
  }

  /// Memory held for input, in bytes.
  package var capacity: Int { buffer.capacity }

  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard isOpen, !buffer.append(bytes) else { return }
    giveUpMessage()
    if !buffer.append(bytes) { lack = .endsInput }
  }

  /// Lets `fill` write up to `size` bytes straight into the buffer; it returns how many there are, and so does this.
  /// `fill` is not called when nothing that comes could be a message any more.
  package mutating func append(upTo size: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
    guard isOpen else { return 0 }
    if !buffer.makeRoom(for: size) { giveUpMessage() }
    return buffer.append(upTo: size, fill)
  }

  /// Makes room where the system gives no memory: the message that is not whole is lost. The input ends where nobody
  /// could tell what is lost; whole messages that are there are still taken.
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

  /// Bytes that are not consumed yet.
  var pendingByteCount: Int { buffer.count }

  /// Whether the next event is a message, or the end of one; false where more bytes must come first.
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

  /// No bytes come any more; what is pending is a message or cut.
  package mutating func endOfInput() { hasEnded = true }

  /// Nil when more bytes are needed, and after `closed`.
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
  /// White space before a message is no part of it, so blank lines vanish by themselves.
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

/// What the bytes of a connection amount to.
package enum FrameEvent {
  /// One message, maybe empty, not looked into; valid until the decoder is called again.
  case message(UnsafeBufferPointer<UInt8>)
  /// To be answered with one error with id null.
  case failure(FramingFailure)
  /// No message comes any more. Comes once, as the last event.
  case closed
}

/// Why bytes are not a message.
package enum FramingFailure: Error, Hashable {
  /// The header block is not what the framing allows; all that follows is lost.
  case header
  /// The input ended inside a header block or a message.
  case truncated
  /// A message over the limit; the stream goes on behind it.
  case tooLong(LimitExcess)
  /// The system has no memory for a message within the limit; the stream goes on behind it, unless what is lost holds
  /// more than one message.
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
