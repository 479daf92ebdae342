import CJansson

/// Why and where a text is no JSON, or holds a value that cannot be represented.
package struct JSONParseError: Error, Equatable {
  package let message: String
  /// From 1, in lines and in characters.
  package let line: Int
  package let column: Int
  /// In bytes from the start; behind the token that could not be read.
  package let offset: Int
  /// Whether nothing is wrong with the text, and the system had no memory for it.
  package var isLackOfMemory = false

  static let empty = JSONParseError(message: "no text", line: 1, column: 0, offset: 0)

  /// jansson takes a NUL byte for the end of the text, and all behind it for nothing.
  static func nul(in text: UnsafeRawBufferPointer, at offset: Int) -> JSONParseError {
    let lineStart = text[..<offset].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    let line = 1 + text[..<offset].count { $0 == UInt8(ascii: "\n") }
    let column = String(decoding: text[lineStart..<offset], as: UTF8.self).unicodeScalars.count + 1
    return JSONParseError(message: "a NUL byte", line: line, column: column, offset: offset + 1)
  }

  private init(message: String, line: Int, column: Int, offset: Int) {
    self.message = message
    self.line = line
    self.column = column
    self.offset = offset
  }

  init(_ failure: json_error_t) {
    let message = withUnsafeBytes(of: failure.text) { text in
      String(decoding: Self.withoutQuote(text.prefix { $0 != 0 }), as: UTF8.self)
    }
    self.init(
      message: message, line: Int(failure.line), column: Int(failure.column),
      offset: max(0, Int(failure.position)))
    // Without memory for a value, jansson says nothing at all.
    guard message.isEmpty else { return }
    self.init(message: "the system is out of memory", line: line, column: column, offset: offset)
    isLackOfMemory = true
  }

  /// Without jansson's quote of the place: it may be a secret, and is not copied.
  private static func withoutQuote(_ text: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
    let mark = Array(" near '".utf8)
    let start = text.indices.first { text[$0...].starts(with: mark) }
    return start.map { text[..<$0] } ?? text
  }
}

extension JSONParseError: CustomStringConvertible {
  package var description: String { "line \(line), column \(column): \(message)" }
}
