import Support

/// Turns the inside of a JSON string into text.
package enum JSONUnescaping {
  /// `content` must follow the grammar of strings. A lone surrogate becomes U+FFFD.
  package static func text(of content: UnsafeBufferPointer<UInt8>) -> String {
    var output: [UInt8] = []
    output.reserveCapacity(content.count)
    var at = 0
    while at < content.count {
      if content[at] == UInt8.backslash {
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
  package static func codeUnit(in content: UnsafeBufferPointer<UInt8>, at: inout Int) -> UInt16? {
    guard at < content.count, content[at] == UInt8.backslash else { return nil }
    guard at &+ 1 < content.count else {
      at = content.count
      return nil
    }
    let letter = content[at &+ 1]
    guard letter == UInt8(ascii: "u") else {
      at &+= 2
      return UInt16(simple(letter))
    }
    let digits = content[min(at &+ 2, content.count)..<min(at &+ 6, content.count)]
    at = min(at &+ 6, content.count)
    return digits.reduce(UInt16(0)) { $0 &<< 4 | UInt16(Hex.value($1) ?? 0) }
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
