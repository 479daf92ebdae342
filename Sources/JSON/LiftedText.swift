/// A JSON text without its long strings, and the strings.
///
/// jansson needs 10 to 15 ns for each byte of a string; keeping it apart takes less than a hundredth of that.
struct LiftedText {
  /// Where a long string stood, there is a short one: NUL and its number. No other string begins with NUL.
  let rest: [UInt8]
  let strings: LiftedStrings

  /// Nil when there is nothing to lift. `text` must be one that the grammar accepts.
  init?(_ text: UnsafeRawBufferPointer, threshold: Int) {
    let spans = LongStrings.spans(in: text, threshold: threshold)
    guard !spans.isEmpty else { return nil }
    strings = LiftedStrings(text, spans)
    rest = Self.rest(of: text, without: spans)
  }

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

/// The long strings of a document, one behind the other.
///
/// A class, so that a document without any pays for no more than a nil.
final class LiftedStrings: Sendable {
  private let bytes: [UInt8]
  private let ends: [Int]

  var count: Int { ends.count }

  /// The inside of each span, unescaped.
  fileprivate init(_ text: UnsafeRawBufferPointer, _ spans: [LongStrings.Span]) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(spans.byteCount)
    ends = spans.map { span in
      Self.append(text, span, to: &bytes)
      return bytes.count
    }
    self.bytes = bytes
  }

  /// `mark` is what jansson has in place of the string: NUL and digits.
  func withBytes<Result>(
    ofMark mark: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    let index = mark.dropFirst().reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    let start = index == 0 ? 0 : ends[index - 1]
    return bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[start..<ends[index]])) }
  }

  private static func append(_ text: UnsafeRawBufferPointer, _ span: LongStrings.Span, to bytes: inout [UInt8]) {
    var at = span.content.lowerBound
    if span.hasSlashEscapes {
      while let backslash = text.offset(of: .backslash, in: at..<span.content.upperBound) {
        bytes.append(contentsOf: text[at..<backslash])
        bytes.append(UInt8(ascii: "/"))
        at = backslash + 2
      }
    }
    bytes.append(contentsOf: text[at..<span.content.upperBound])
  }
}

extension [LongStrings.Span] {
  fileprivate var byteCount: Int { reduce(0) { $0 + $1.content.count } }
}
