import Support

/// Walks a JSON text by the grammar of RFC 8259 and checks its UTF-8. Builds no values.
///
/// Iterative, so that each level costs a bit and not a stack frame. Notes an exceeded limit and continues: the length
/// of the message bounds the cost, and the id may come later.
struct JSONScanner {
  private let base: UnsafeRawPointer
  let count: Int
  private let limits: ScanLimits
  /// The offset of the next byte.
  var position = 0
  private(set) var containers = ContainerStack()
  /// Whether the last string contained an escape.
  private(set) var sawEscape = false
  /// The first exceeded limit.
  private(set) var excess: LimitExcess?
  private var values = 0

  /// The text must outlive the scanner.
  init(base: UnsafeRawPointer, count: Int, limits: ScanLimits) {
    self.base = base
    self.count = count
    self.limits = limits
  }

  /// The next byte; at the end of the text 0, which is never valid in the grammar.
  @inline(__always)
  var byte: UInt8 { position < count ? load(position) : 0 }

  @inline(__always)
  func load(_ offset: Int) -> UInt8 { base.load(fromByteOffset: offset, as: UInt8.self) }

  @inline(__always)
  func loadWord(_ offset: Int) -> UInt64 {
    UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  @inline(__always)
  func loadHalf(_ offset: Int) -> UInt32 {
    UInt32(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  @inline(__always)
  mutating func skipWhitespace() {
    while position < count, load(position) <= ASCII.space, ASCII.isWhitespace(load(position)) { position &+= 1 }
  }

  /// The error for a next byte that is not allowed here.
  func unexpected(_ reason: JSONSyntaxError.Reason = .unexpectedByte) -> JSONSyntaxError {
    if position >= count { return JSONSyntaxError(reason: .unexpectedEnd, offset: count) }
    if reason == .unexpectedByte && load(position) >= 0x80 {
      return JSONSyntaxError(reason: byteReason, offset: position)
    }
    return JSONSyntaxError(reason: reason, offset: position)
  }

  private var byteReason: JSONSyntaxError.Reason {
    guard position &+ 3 <= count else { return .unexpectedByte }
    let isMark = load(position) == 0xEF && load(position &+ 1) == 0xBB && load(position &+ 2) == 0xBF
    return isMark ? .byteOrderMark : .unexpectedByte
  }
}

extension JSONScanner {
  /// Moves from the first byte of a value past its last byte.
  mutating func skipValue() throws(JSONSyntaxError) {
    let floor = containers.depth
    while true {
      if try enterValue() { continue }
      repeat {
        if containers.depth == floor { return }
      } while try !enterNext()
    }
  }

  /// From the first byte of a value: past a scalar or an empty container (false), or to the first value inside (true).
  @inline(__always)
  private mutating func enterValue() throws(JSONSyntaxError) -> Bool {
    switch byte {
    case ASCII.openBrace:
      guard try enterObject() else { return false }
      _ = try memberName()
      return true
    case ASCII.openBracket: return try enterArray()
    default:
      try skipScalar()
      return false
    }
  }

  /// After a value in a container: to the next value (true), or past the end of the container (false).
  @inline(__always)
  private mutating func enterNext() throws(JSONSyntaxError) -> Bool {
    guard try skipSeparator() else { return false }
    if containers.isObject { _ = try memberName() }
    return true
  }

  @inline(__always)
  mutating func skipScalar() throws(JSONSyntaxError) {
    countValue()
    switch byte {
    case ASCII.quote: _ = try string()
    case UInt8(ascii: "t"): try skipLiteral(0x6575_7274, length: 4)
    case UInt8(ascii: "f"): try skipLiteral(0x65_736C_6166, length: 5)
    case UInt8(ascii: "n"): try skipLiteral(0x6C6C_756E, length: 4)
    default: try skipNumber()
    }
  }

  /// From the brace: to the first name (true), or past an empty object (false).
  @inline(__always)
  mutating func enterObject() throws(JSONSyntaxError) -> Bool {
    open(isObject: true)
    if byte != ASCII.closeBrace { return true }
    close()
    return false
  }

  /// From the bracket: to the first element (true), or past an empty array (false).
  @inline(__always)
  mutating func enterArray() throws(JSONSyntaxError) -> Bool {
    open(isObject: false)
    if byte != ASCII.closeBracket { return true }
    close()
    return false
  }

  /// After a value in a container: past the comma and white space (true), or past the closing byte (false).
  @inline(__always)
  mutating func skipSeparator() throws(JSONSyntaxError) -> Bool {
    skipWhitespace()
    let next = byte
    if next == ASCII.comma {
      position &+= 1
      skipWhitespace()
      return true
    }
    guard next == (containers.isObject ? ASCII.closeBrace : ASCII.closeBracket) else { throw unexpected() }
    close()
    return false
  }

  /// Reads the name of a member, and moves to its value.
  @inline(__always)
  mutating func memberName() throws(JSONSyntaxError) -> StringSpan {
    let name = try string()
    skipWhitespace()
    guard byte == ASCII.colon else { throw unexpected() }
    position &+= 1
    skipWhitespace()
    return name
  }

  @inline(__always)
  private mutating func open(isObject: Bool) {
    countValue()
    containers.push(isObject: isObject)
    if containers.depth > limits.nesting { note(LimitExcess(.nesting, limits.nesting)) }
    position &+= 1
    skipWhitespace()
  }

  @inline(__always)
  private mutating func close() {
    containers.pop()
    position &+= 1
  }

  @inline(__always)
  private mutating func countValue() {
    values &+= 1
    if values > limits.values { note(LimitExcess(.values, limits.values)) }
  }

  @inline(never)
  private mutating func note(_ passed: LimitExcess) {
    if excess == nil { excess = passed }
  }

  @inline(__always)
  mutating func noteEscape(_ found: Bool) { sawEscape = found }
}

extension JSONScanner {
  /// The caller judges what follows the number: `01` is a number and a stray digit.
  mutating func skipNumber() throws(JSONSyntaxError) {
    if byte == ASCII.minus { position &+= 1 }
    if byte == ASCII.zero { position &+= 1 } else { try skipDigits() }
    if byte == ASCII.point {
      position &+= 1
      try skipDigits()
    }
    guard byte | 0x20 == UInt8(ascii: "e") else { return }
    position &+= 1
    if byte == ASCII.plus || byte == ASCII.minus { position &+= 1 }
    try skipDigits()
  }

  @inline(__always)
  private mutating func skipDigits() throws(JSONSyntaxError) {
    guard byte.isDigit else { throw unexpected() }
    repeat { position &+= 1 } while byte.isDigit
  }

  /// `word` contains the letters, with the first one lowest.
  @inline(__always)
  mutating func skipLiteral(_ word: UInt64, length: Int) throws(JSONSyntaxError) {
    var rest = word
    for _ in 0..<length {
      guard byte == UInt8(truncatingIfNeeded: rest) else { throw unexpected() }
      position &+= 1
      rest = rest &>> 8
    }
  }
}

/// Which of the open containers are objects, one bit each. Allocates nothing up to a depth of 64.
struct ContainerStack {
  private(set) var depth = 0
  private var bits: UInt64 = 0
  private var full: [UInt64] = []

  /// Whether the innermost container is an object. Undefined at depth 0.
  @inline(__always)
  var isObject: Bool { bits & 1 != 0 }

  @inline(__always)
  mutating func push(isObject: Bool) {
    if depth != 0 && depth & 63 == 0 { full.append(bits) }
    bits = bits &<< 1 | (isObject ? 1 : 0)
    depth &+= 1
  }

  @inline(__always)
  mutating func pop() {
    depth &-= 1
    if depth != 0 && depth & 63 == 0 { bits = full.popLast() ?? 0 } else { bits = bits &>> 1 }
  }
}

/// Why a text is not JSON, and the offset of the offending byte; -32700 on the wire.
package struct JSONSyntaxError: Error, Hashable {
  package enum Reason: String, Sendable {
    case unexpectedByte = "unexpected character"
    case unexpectedEnd = "unexpected end of the text"
    case trailingText = "text after the end of the value"
    case controlCharacter = "control character in a string"
    case invalidEscape = "invalid escape in a string"
    case invalidUTF8 = "invalid UTF-8"
    case byteOrderMark = "byte order mark"
  }

  package let reason: Reason
  /// In bytes from the start of the message. If the message ends too early, its length.
  package let offset: Int
}
