import Glibc

/// Reads a JSON text from left to right, in the place where it is.
package struct TextCursor {
  /// Deeper texts are left to jansson, which has a limit of its own.
  private static let deepest = 512

  private let text: UnsafeRawBufferPointer
  /// The offset of the next byte.
  private(set) var at: Int

  /// The text must outlive the cursor.
  package init(_ text: UnsafeRawBufferPointer, at offset: Int = 0) { (self.text, at) = (text, offset) }

  /// Whether only white space is left.
  package var isAtEnd: Bool {
    mutating get {
      skipWhiteSpace()
      return at == text.count
    }
  }

  /// Whether the next byte that is no white space is `byte`, which is then skipped.
  package mutating func skip(_ byte: UInt8) -> Bool {
    guard isAt(byte) else { return false }
    at += 1
    return true
  }

  /// Whether the next byte that is no white space is `byte`.
  package mutating func isAt(_ byte: UInt8) -> Bool {
    skipWhiteSpace()
    return at < text.count && text[at] == byte
  }

  /// Skips a word such as `null`. What follows is for the caller to judge.
  package mutating func skip(word: StaticString) -> Bool {
    skipWhiteSpace()
    let count = word.utf8CodeUnitCount
    guard let base = text.baseAddress, text.count - at >= count, memcmp(base + at, word.utf8Start, count) == 0 else {
      return false
    }
    at += count
    return true
  }

  /// The content of a string that follows the grammar and is valid UTF-8; `nil` if there is no such string, or one with
  /// escapes.
  package mutating func plainString() -> UnsafeRawBufferPointer? {
    guard isAt(.quote), let end = text.offset(of: .quote, in: at + 1..<text.count) else { return nil }
    let content = UnsafeRawBufferPointer(rebasing: text[at + 1..<end])
    guard content.isPlain else { return nil }
    at = end + 1
    return content
  }

  /// The text of the next string, which must follow the grammar; `nil` if the next value is no string.
  package mutating func acceptedString() -> String? {
    if let plain = plainString() { return String(decoding: plain, as: UTF8.self) }
    guard isAt(.quote), let place = valuePlace() else { return nil }
    let content = UnsafeRawBufferPointer(rebasing: text[place.dropFirst().dropLast()])
    return content.withMemoryRebound(to: UInt8.self) { JSONUnescaping.text(of: $0) }
  }

  /// Skips the next value. Returns false if there is none.
  @discardableResult
  package mutating func skipValue() -> Bool { valuePlace() != nil }

  mutating func skipWhiteSpace() {
    while at < text.count, text[at] <= UInt8(ascii: " "), isWhiteSpace(text[at]) { at += 1 }
  }

  private func isWhiteSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\t")
  }
}

extension TextCursor {
  /// The place of the next value, of which only the ends are known: its strings end, and its brackets are as many as its
  /// closing brackets. `nil` if there is no such value, or one with more than 512 levels.
  mutating func valuePlace() -> Range<Int>? {
    skipWhiteSpace()
    let start = at
    guard start < text.count else { return nil }
    switch text[start] {
    case .quote:
      at += 1
      return skipRestOfString() ? start..<at : nil
    case UInt8(ascii: "{"), UInt8(ascii: "["): return skipContainer() ? start..<at : nil
    default:
      while at < text.count, !endsScalar(text[at]) { at += 1 }
      return start < at ? start..<at : nil
    }
  }

  private func endsScalar(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"): true
    default: isWhiteSpace(byte)
    }
  }

  private mutating func skipContainer() -> Bool {
    var depth = 0
    while at < text.count {
      let byte = text[at]
      at += 1
      switch byte {
      case .quote: guard skipRestOfString() else { return false }
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        guard depth <= Self.deepest else { return false }
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth == 0 { return true }
      default: break
      }
    }
    return false
  }

  /// From the first byte of the content past the closing quote. A quote ends the string if an even number of backslashes
  /// precedes it.
  private mutating func skipRestOfString() -> Bool {
    let start = at
    while let quote = text.offset(of: .quote, in: at..<text.count) {
      at = quote + 1
      var backslash = quote
      while backslash > start, text[backslash - 1] == .backslash { backslash -= 1 }
      if (quote - backslash).isMultiple(of: 2) { return true }
    }
    return false
  }
}

extension UnsafeRawBufferPointer {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highBits: UInt64 = 0x8080_8080_8080_8080

  /// Whether the bytes are the content of a JSON string without escapes.
  fileprivate var isPlain: Bool {
    var at = 0
    while at + 8 <= count {
      guard isPlain(UInt64(littleEndian: loadUnaligned(fromByteOffset: at, as: UInt64.self))) else {
        return isPlainUTF8
      }
      at += 8
    }
    while at < count {
      guard self[at] < 0x80, !isControlOrBackslash(self[at]) else { return isPlainUTF8 }
      at += 1
    }
    return true
  }

  /// Whether all eight bytes are ASCII, and none is a control character or a backslash.
  private func isPlain(_ word: UInt64) -> Bool {
    let control = (word &- Self.ones &* 0x20) & ~word
    let other = word ^ Self.ones &* UInt64(UInt8.backslash)
    let backslash = (other &- Self.ones) & ~other
    return (word | control | backslash) & Self.highBits == 0
  }

  private var isPlainUTF8: Bool {
    !contains(where: isControlOrBackslash) && String(validating: self, as: UTF8.self) != nil
  }

  private func isControlOrBackslash(_ byte: UInt8) -> Bool { byte < 0x20 || byte == .backslash }
}
