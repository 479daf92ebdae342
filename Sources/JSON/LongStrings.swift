import Glibc

/// Where the long strings of a JSON text stand.
///
/// The text must be one that the grammar accepts: strings are found by their quotes alone.
struct LongStrings {
  /// Bytes as written. jansson spends on such a string four times what keeping it apart costs.
  static let threshold = 256

  /// The inside of a string.
  struct Span {
    let content: Range<Int>
    /// Whether it holds `\/`, the one escape that a long string may have: some writers of base64 put it there.
    let hasSlashEscapes: Bool
  }

  private let text: UnsafeRawBufferPointer
  private let base: UnsafeRawPointer
  private let threshold: Int

  /// In the order of the text; none when nothing may be lifted. Names are never among them.
  ///
  /// A string that begins with NUL looks like the mark of a lifted one. NUL has one spelling, `\u0000`, so that a text
  /// with such a string is known, and left alone.
  static func spans(in text: UnsafeRawBufferPointer, threshold: Int) -> [Span] {
    guard let base = text.baseAddress else { return [] }
    let search = LongStrings(text: text, base: base, threshold: threshold)
    return search.hasLongRun ? search.spans() : []
  }

  /// Whether a long string is possible at all: it is a run without quotes. Looks at few of the bytes when there is none.
  private var hasLongRun: Bool {
    var start = 0
    while start + threshold <= text.count {
      guard let quote = text[start..<start + threshold].lastIndex(of: .quote) else { return true }
      start = quote + 1
    }
    return false
  }

  private func spans() -> [Span] {
    var spans: [Span] = []
    var at = 0
    while let opening = text.offset(of: .quote, in: at..<text.count) {
      let start = opening + 1
      guard let end = closingQuote(from: start), !beginsWithNul(start..<end) else { return [] }
      at = end + 1
      if end - start >= threshold, !isColon(behind: at), let span = span(of: start..<end) { spans.append(span) }
    }
    return spans
  }

  /// A quote ends the string when an even number of backslashes stands before it.
  private func closingQuote(from start: Int) -> Int? {
    var from = start
    while let quote = text.offset(of: .quote, in: from..<text.count) {
      let backslashes = text[start..<quote].reversed().prefix { $0 == .backslash }.count
      if backslashes.isMultiple(of: 2) { return quote }
      from = quote + 1
    }
    return nil
  }

  private func beginsWithNul(_ content: Range<Int>) -> Bool {
    content.count >= 6 && text[content.lowerBound] == .backslash
      && memcmp(base + content.lowerBound, "\\u0000", 6) == 0
  }

  private func isColon(behind offset: Int) -> Bool {
    text[offset...].first { $0 > UInt8(ascii: " ") } == UInt8(ascii: ":")
  }

  /// Nil when it has escapes of another kind.
  private func span(of content: Range<Int>) -> Span? {
    var at = content.lowerBound
    while let backslash = text.offset(of: .backslash, in: at..<content.upperBound) {
      guard text[backslash + 1] == UInt8(ascii: "/") else { return nil }
      at = backslash + 2
    }
    return Span(content: content, hasSlashEscapes: at > content.lowerBound)
  }
}

extension UInt8 {
  static let quote = UInt8(ascii: "\"")
  static let backslash = UInt8(ascii: "\\")
}

extension UnsafeRawBufferPointer {
  func offset(of byte: UInt8, in range: Range<Int>) -> Int? {
    guard let baseAddress, let found = memchr(baseAddress + range.lowerBound, Int32(byte), range.count) else {
      return nil
    }
    return UnsafeRawPointer(found) - baseAddress
  }
}
