import CJansson

/// A value that does not match its declaration, and its place.
package struct JSONDecodingError: Error, Equatable {
  package enum Reason: Equatable, Sendable {
    case missing
    case unknown
    case wrongType(expected: String, found: String)
    case invalid(String)
    /// The value is valid, but the system has no memory for it.
    case outOfMemory
  }

  package let reason: Reason
  /// An unknown member beside a missing one, which may be a misspelling of it.
  private var stray: String?
  /// The path from the innermost name outwards, so that each level appends its own.
  private var reversedPath: [String] = []

  package init(_ reason: Reason) {
    self.reason = reason
  }

  package static func wrongType(expected: String, _ node: JSONNode) -> JSONDecodingError {
    JSONDecodingError(.wrongType(expected: expected, found: node.kind))
  }

  /// The same error about a missing member, which also names an unknown member of the same object. Other errors stay as
  /// they are: the missing member must be one of this object, not of an object inside it.
  func beside(unknown name: String?) -> JSONDecodingError {
    guard reason == .missing, reversedPath.count == 1 else { return self }
    var copy = self
    copy.stray = name
    return copy
  }

  /// The same error, one level further out.
  package func inside(_ name: String) -> JSONDecodingError {
    var copy = self
    copy.reversedPath.append(name)
    return copy
  }

  /// A JSON Pointer (RFC 6901) such as `/settings/0/name`; empty for the whole value.
  package var path: String { Self.pointer(reversedPath) }

  /// Like `path`, for the unknown member beside a missing one.
  private var strayPath: String? { stray.map { Self.pointer([$0] + reversedPath.dropFirst()) } }

  private static func pointer(_ reversedPath: [String]) -> String {
    reversedPath.reversed().map { "/" + $0.pointerEscaped }.joined()
  }

  /// Names no unknown member: it is whatever the sender wrote, perhaps a secret in the wrong place.
  package var discreetMessage: String {
    let unknown = "it has an undeclared member"
    return switch reason {
    case .unknown: unknown
    case .missing where stray != nil: "\(path) is missing, and \(unknown)"
    default: message
    }
  }

  package var message: String {
    let place = path.isEmpty ? "the value" : path
    return switch reason {
    case .missing: "\(place) is missing" + (strayPath.map { ", and \($0) is not known" } ?? "")
    case .unknown: "\(place) is not known"
    case .wrongType(let expected, let found): "\(place) must be \(expected), not \(found)"
    case .invalid(let text): "\(place) \(text)"
    case .outOfMemory: "the system is out of memory for \(place)"
    }
  }
}

extension String {
  fileprivate var pointerEscaped: String {
    guard utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else { return self }
    return reduce(into: "") { text, character in
      switch character {
      case "~": text += "~0"
      case "/": text += "~1"
      default: text.append(character)
      }
    }
  }
}

extension JSONNode {
  /// The word for this kind of value in error messages.
  package var kind: String {
    if isNull { return "null" }
    if bool != nil { return "a boolean" }
    if integer != nil { return "an integer" }
    if real != nil { return "a number" }
    if elementCount != nil { return "an array" }
    return memberCount == nil ? "a string" : "an object"
  }
}

/// Why and where a text is not JSON, or has a value that cannot be represented.
package struct JSONParseError: Error, Equatable {
  package let message: String
  /// Counted from 1, in lines and characters.
  package let line: Int
  package let column: Int
  /// In bytes from the start, after the token that could not be read.
  package let offset: Int
  /// Whether the text is valid, but the system had no memory for it.
  package var isLackOfMemory = false

  static let empty = JSONParseError(message: "the text is empty", line: 1, column: 0, offset: 0)

  /// jansson treats a NUL byte as the end of the text, and ignores everything after it.
  static func nul(in text: UnsafeRawBufferPointer, at offset: Int) -> JSONParseError {
    let lineStart = text[..<offset].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    let line = 1 + text[..<offset].count { $0 == UInt8(ascii: "\n") }
    let column = String(decoding: text[lineStart..<offset], as: UTF8.self).unicodeScalars.count + 1
    return JSONParseError(message: "unexpected NUL byte", line: line, column: column, offset: offset + 1)
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
    // If jansson has no memory for a value, it gives no message.
    guard message.isEmpty else { return }
    self.init(message: "the system is out of memory", line: line, column: column, offset: offset)
    isLackOfMemory = true
  }

  /// Removes jansson's quote of the text, which may be a secret, without copying it.
  private static func withoutQuote(_ text: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
    let mark = Array(" near '".utf8)
    let start = text.indices.first { text[$0...].starts(with: mark) }
    return start.map { text[..<$0] } ?? text
  }
}

extension JSONParseError: CustomStringConvertible {
  package var description: String { "line \(line), column \(column): \(message)" }
}
