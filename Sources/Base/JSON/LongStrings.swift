import Glibc
import Support

/// Finds the long strings of a JSON text.
///
/// The text must follow the grammar, because strings are found only by their quotes.
struct LongStrings {
  /// In bytes as written. For such a string, parsing costs four times as much as keeping it apart.
  static let threshold = 256

  /// The inside of a string.
  struct Span {
    let content: Range<Int>
    /// Whether it contains `\/`, the only escape that a long string may have: some base64 writers use it.
    let hasSlashEscapes: Bool
  }

  private let text: UnsafeRawBufferPointer
  private let base: UnsafeRawPointer
  private let threshold: Int

  /// The long strings in text order; none if nothing may be lifted. Never includes names.
  ///
  /// A string that begins with NUL would look like the mark of a lifted string. NUL has only one spelling, `\u0000`, so
  /// a text with such a string is recognized and left alone.
  static func spans(in text: UnsafeRawBufferPointer, threshold: Int) -> [Span] {
    guard let base = text.baseAddress else { return [] }
    let search = LongStrings(text: text, base: base, threshold: threshold)
    return search.hasLongRun ? search.spans() : []
  }

  /// Whether a long string, which is a run without quotes, is possible at all. Usually examines only a few bytes.
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

  /// A quote ends the string if an even number of backslashes precedes it.
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

  /// `nil` if it has other escapes.
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

/// A JSON text without its long strings, and the strings.
///
/// jansson takes 10 to 15 ns for each byte of a string; keeping the string apart takes less than a hundredth of that.
struct LiftedText {
  /// Each long string is replaced by a short one: NUL and a number. No other string begins with NUL.
  private(set) var rest: [UInt8]
  let strings: LiftedStrings

  /// `nil` if there is nothing to lift. `text` must follow the grammar.
  init?(_ text: UnsafeRawBufferPointer, threshold: Int) {
    let spans = LongStrings.spans(in: text, threshold: threshold)
    guard !spans.isEmpty else { return nil }
    strings = LiftedStrings(text, spans)
    rest = Self.rest(of: text, without: spans)
  }

  mutating func clearRest() { rest.clear() }

  private static func rest(of text: UnsafeRawBufferPointer, without spans: [LongStrings.Span]) -> [UInt8] {
    var rest: [UInt8] = []
    rest.reserveCapacity(text.count - spans.byteCount + spans.count * 12)
    var at = 0
    for (number, span) in spans.enumerated() {
      rest.append(contentsOf: text[at..<span.content.lowerBound])
      rest.append(contentsOf: "\\u0000\(number)".utf8)
      at = span.content.upperBound
    }
    rest.append(contentsOf: text[at...])
    return rest
  }
}

/// The long strings of a document, in the order of their marks.
///
/// A class, so that a document without long strings costs only a `nil`.
final class LiftedStrings {
  private enum Content {
    /// The place in the text, which must outlive this.
    case asWritten(UnsafeRawBufferPointer)
    case unescaped([UInt8])
  }

  private var strings: [Content]

  var count: Int { strings.count }

  fileprivate init(_ text: UnsafeRawBufferPointer, _ spans: [LongStrings.Span]) {
    strings = spans.map { span in
      let content = UnsafeRawBufferPointer(rebasing: text[span.content])
      return span.hasSlashEscapes ? .unescaped(Self.unescaped(content)) : .asWritten(content)
    }
  }

  deinit {
    for index in strings.indices {
      guard case .unescaped(var bytes) = strings[index] else { continue }
      strings[index] = .unescaped([])
      bytes.clear()
    }
  }

  /// `mark` is the string in jansson's tree: NUL and digits.
  func withBytes<Result>(
    ofMark mark: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    let index = mark.dropFirst().reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    return switch strings[index] {
    case .asWritten(let bytes): bytes.withMemoryRebound(to: UInt8.self, body)
    case .unescaped(let bytes): bytes.withUnsafeBufferPointer(body)
    }
  }

  /// Resolves the only escape that a long string may have.
  private static func unescaped(_ content: UnsafeRawBufferPointer) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(content.count)
    var at = 0
    while let backslash = content.offset(of: .backslash, in: at..<content.count) {
      bytes.append(contentsOf: content[at..<backslash])
      bytes.append(UInt8(ascii: "/"))
      at = backslash + 2
    }
    bytes.append(contentsOf: content[at...])
    return bytes
  }
}

extension [LongStrings.Span] {
  fileprivate var byteCount: Int { reduce(0) { $0 + $1.content.count } }
}
