/// A string inside a message: what stands between its quotes.
package struct StringSpan: Hashable, Sendable {
  /// Without the quotes.
  package let content: Range<Int>
  /// When false, the bytes of `content` are the text.
  package let hasEscapes: Bool

  package init(content: Range<Int>, hasEscapes: Bool) {
    self.content = content
    self.hasEscapes = hasEscapes
  }
}

extension StringSpan {
  /// The text, unescaped. `message` is one that the scanner has accepted; a lone surrogate becomes U+FFFD.
  package func text(in message: UnsafeBufferPointer<UInt8>) -> String {
    let bytes = message.part(content)
    guard hasEscapes else { return String(decoding: bytes, as: UTF8.self) }
    return JSONUnescaping.text(of: bytes)
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// The bytes of a span; cut at the end of the buffer, so that a span of another message cannot trap.
  package func part(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: self[range.clamped(to: indices)])
  }
}
