/// Why a text is not JSON, and the offset of the byte that shows it; -32700 on the wire.
package struct JSONSyntaxError: Error, Hashable {
  package enum Reason: String, Sendable {
    case unexpectedByte = "unexpected character"
    case unexpectedEnd = "unexpected end of the text"
    case trailingText = "text after the end of the value"
    case controlCharacter = "control character in a string"
    case invalidEscape = "invalid escape in a string"
    case invalidUTF8 = "invalid UTF-8"
    case byteOrderMark = "byte order mark"
  }

  package let reason: Reason
  /// In bytes from the start of the message; the length of the message when it ends too early.
  package let offset: Int
}
