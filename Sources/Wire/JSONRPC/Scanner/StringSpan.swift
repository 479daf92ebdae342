import JSON

/// The part of a message between the quotes of a string.
package struct StringSpan: Hashable, Sendable {
  /// The range without the quotes.
  package let content: Range<Int>
  /// If false, the bytes of `content` are the text itself.
  package let hasEscapes: Bool

  package init(content: Range<Int>, hasEscapes: Bool) {
    self.content = content
    self.hasEscapes = hasEscapes
  }
}

extension StringSpan {
  /// The unescaped text, with U+FFFD for a lone surrogate. The scanner must have accepted `message`.
  package func text(in message: UnsafeBufferPointer<UInt8>) -> String {
    let bytes = message.part(content)
    guard hasEscapes else { return String(decoding: bytes, as: UTF8.self) }
    return JSONUnescaping.text(of: bytes)
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// The bytes of a span. Clipped to the buffer, so that a span of another message cannot trap.
  package func part(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: self[range.clamped(to: indices)])
  }
}
