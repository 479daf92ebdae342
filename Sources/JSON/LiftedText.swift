import Support

/// A JSON text without its long strings, and the strings.
///
/// jansson needs 10 to 15 ns for each byte of a string; keeping it apart takes less than a hundredth of that.
struct LiftedText {
  /// Where a long string stood, there is a short one: NUL and its number. No other string begins with NUL.
  private(set) var rest: [UInt8]
  let strings: LiftedStrings

  /// Nil when there is nothing to lift. `text` must be one that the grammar accepts.
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
/// A class, so that a document without any pays for no more than a nil.
final class LiftedStrings {
  private enum Content {
    /// Where it stands in the text, which must outlive this.
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

  /// `mark` is what jansson has in place of the string: NUL and digits.
  func withBytes<Result>(
    ofMark mark: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    let index = mark.dropFirst().reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    return switch strings[index] {
    case .asWritten(let bytes): bytes.withMemoryRebound(to: UInt8.self, body)
    case .unescaped(let bytes): bytes.withUnsafeBufferPointer(body)
    }
  }

  /// Of the one escape there may be.
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
