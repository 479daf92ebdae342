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

/// Turns the inside of a JSON string into text.
enum JSONUnescaping {
  /// `content` must follow the grammar of strings. A lone surrogate becomes U+FFFD.
  static func text(of content: UnsafeBufferPointer<UInt8>) -> String {
    var output: [UInt8] = []
    output.reserveCapacity(content.count)
    var at = 0
    while at < content.count {
      if content[at] == ASCII.backslash {
        append(escapeAt: &at, of: content, to: &output)
      } else {
        output.append(content[at])
        at &+= 1
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  private static func append(
    escapeAt at: inout Int, of content: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]
  ) {
    guard let unit = codeUnit(in: content, at: &at) else { return }
    guard UTF16.isLeadSurrogate(unit) else {
      return append(Unicode.Scalar(unit) ?? "\u{FFFD}", to: &output)
    }
    var next = at
    guard let trail = codeUnit(in: content, at: &next), UTF16.isTrailSurrogate(trail) else {
      return append("\u{FFFD}", to: &output)
    }
    at = next
    let scalar = 0x10000 &+ (UInt32(unit) & 0x3FF) &<< 10 &+ (UInt32(trail) & 0x3FF)
    append(Unicode.Scalar(scalar) ?? "\u{FFFD}", to: &output)
  }

  private static func append(_ scalar: Unicode.Scalar, to output: inout [UInt8]) {
    output.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
  }

  /// The code unit of the escape at `at`, which moves past it. `nil`, without moving, if no escape begins there. An
  /// invalid escape moves `at` to the end, so that a caller always terminates.
  static func codeUnit(in content: UnsafeBufferPointer<UInt8>, at: inout Int) -> UInt16? {
    guard at < content.count, content[at] == ASCII.backslash else { return nil }
    guard at &+ 1 < content.count else {
      at = content.count
      return nil
    }
    let letter = content[at &+ 1]
    guard letter == UInt8(ascii: "u") else {
      at &+= 2
      return UInt16(simple(letter))
    }
    let digits = content.part(min(at &+ 2, content.count)..<min(at &+ 6, content.count))
    at = min(at &+ 6, content.count)
    return digits.reduce(UInt16(0)) { $0 &<< 4 | (ASCII.hexadecimal($1) ?? 0) }
  }

  private static func simple(_ letter: UInt8) -> UInt8 {
    switch letter {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: letter
    }
  }
}
