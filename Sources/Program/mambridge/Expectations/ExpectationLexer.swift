import JSON
import Support

/// A place in a file of expectations. Lines and columns count from 1; a column is a character of the line.
struct ExpectationPlace: Hashable {
  let line: Int
  let column: Int
}

/// A file of expectations that cannot be read as such.
struct ExpectationError: Error, Hashable {
  let place: ExpectationPlace
  let message: String
}

/// One word of a line.
struct ExpectationWord: Hashable {
  /// Without quotes and escapes.
  let text: String
  /// Whether the whole word was in quotes, so that it is text even if it reads `true` or `[1]`.
  let isQuoted: Bool
  let place: ExpectationPlace
}

/// Splits a file of expectations into lines of words. Blanks separate words. `"…"` quotes a word, or its value after
/// `=`, with JSON's escapes. JSON at the start of a word or after `:=` runs to its closing bracket, also over several
/// lines. `#` at the start of a word begins a comment.
struct ExpectationLexer {
  /// In bytes.
  static let sizeLimit = 4 << 20

  private let bytes: [UInt8]
  private var index = 0
  private var line = 1
  /// The column of the byte at `counted`. Columns are counted on from there, because a line may be as long as the file.
  private var column = 1
  private var counted = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The lines that have words.
  static func lines(of content: [UInt8]) throws(ExpectationError) -> [[ExpectationWord]] {
    let start = ExpectationPlace(line: 1, column: 1)
    guard content.count <= sizeLimit else {
      throw ExpectationError(
        place: start, message: "the file is larger than \(sizeLimit >> 20) MiB. Split it into several files")
    }
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    var lexer = ExpectationLexer(content.starts(with: mark) ? Array(content.dropFirst(mark.count)) : content)
    guard String(validating: lexer.bytes, as: UTF8.self) != nil else {
      throw ExpectationError(place: start, message: "the file is not UTF-8 text. Save it as UTF-8")
    }
    return try lexer.readLines()
  }

  private mutating func readLines() throws(ExpectationError) -> [[ExpectationWord]] {
    var lines: [[ExpectationWord]] = []
    var words: [ExpectationWord] = []
    while let byte = current {
      switch byte {
      case UInt8(ascii: "\n"):
        index += 1
        beginLine()
        if !words.isEmpty { lines.append(words) }
        words = []
      case UInt8(ascii: " "), UInt8(ascii: "\t"): index += 1
      case UInt8(ascii: "\r") where following == UInt8(ascii: "\n"): index += 1
      case UInt8(ascii: "#"): skipComment()
      default: words.append(try readWord())
      }
    }
    if !words.isEmpty { lines.append(words) }
    return lines
  }

  private mutating func readWord() throws(ExpectationError) -> ExpectationWord {
    let place = countedPlace()
    let start = index
    if current == UInt8(ascii: "\"") {
      let text = try readQuoted()
      try checkEnd("the closing quote")
      return ExpectationWord(text: text, isQuoted: true, place: place)
    }
    if opensJSON {
      try skipJSON()
      return ExpectationWord(text: String(decoding: bytes[start..<index], as: UTF8.self), isQuoted: false, place: place)
    }
    while let byte = current, !isBlank(byte) {
      guard byte >= 0x20, byte != 0x7F else { throw unexpected(byte) }
      index += 1
      guard byte == UInt8(ascii: "=") else { continue }
      let name = String(decoding: bytes[start..<index], as: UTF8.self)
      return ExpectationWord(text: name + (try readValue(isJSON: name.hasSuffix(":="))), isQuoted: false, place: place)
    }
    return ExpectationWord(text: String(decoding: bytes[start..<index], as: UTF8.self), isQuoted: false, place: place)
  }

  /// What follows `=` or `:=`, up to the end of the word.
  private mutating func readValue(isJSON: Bool) throws(ExpectationError) -> String {
    let start = index
    if current == UInt8(ascii: "\"") {
      let text = try readQuoted()
      try checkEnd("the closing quote")
      return isJSON ? String(decoding: bytes[start..<index], as: UTF8.self) : text
    }
    if isJSON, opensJSON {
      try skipJSON()
    } else {
      while let byte = current, !isBlank(byte) {
        guard byte >= 0x20, byte != 0x7F else { throw unexpected(byte) }
        index += 1
      }
    }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  /// Reads a text in quotes, which ends on its line.
  private mutating func readQuoted() throws(ExpectationError) -> String {
    let (place, start) = (countedPlace(), index)
    try skipString()
    do throws(JSONParseError) {
      return try JSONValue(parsing: bytes[start..<index]).stringValue ?? ""
    } catch {
      throw ExpectationError(place: place, message: "this text has an escape that JSON does not know: \(error.message)")
    }
  }

  private mutating func skipString() throws(ExpectationError) {
    let place = countedPlace()
    index += 1
    while let byte = current, byte != UInt8(ascii: "\n") {
      index += 1
      if byte == UInt8(ascii: "\"") { return }
      if byte == UInt8(ascii: "\\"), current != nil, current != UInt8(ascii: "\n") { index += 1 }
    }
    throw ExpectationError(place: place, message: "the quote is not closed on its line. Write \\n for a line break")
  }

  private mutating func skipJSON() throws(ExpectationError) {
    let (place, start) = (countedPlace(), index)
    var open: [UInt8] = []
    repeat {
      switch current {
      case nil: throw ExpectationError(place: place, message: "the bracket is not closed")
      case UInt8(ascii: "\"")?:
        try skipString()
        continue
      case UInt8(ascii: "{")?: open.append(UInt8(ascii: "}"))
      case UInt8(ascii: "[")?: open.append(UInt8(ascii: "]"))
      case UInt8(ascii: "}")?, UInt8(ascii: "]")?:
        guard open.popLast() == current else { throw unexpected(current ?? 0) }
      case UInt8(ascii: "\n")?:
        index += 1
        beginLine()
        continue
      default: break
      }
      index += 1
    } while !open.isEmpty
    do throws(JSONParseError) {
      _ = try JSONValue(parsing: bytes[start..<index])
    } catch {
      throw ExpectationError(place: place, message: "this is not valid JSON: \(error.message)")
    }
    try checkEnd("the closing bracket")
  }

  private func checkEnd(_ what: String) throws(ExpectationError) {
    guard let current, !isBlank(current) else { return }
    throw ExpectationError(place: place, message: "a blank is missing after \(what)")
  }

  private func unexpected(_ byte: UInt8) -> ExpectationError {
    let name = byte > 0x20 && byte < 0x7F ? "\"\(Character(Unicode.Scalar(byte)))\"" : "the byte \(byte)"
    return ExpectationError(place: place, message: "\(name) cannot be here. Put text with special characters in quotes")
  }

  private mutating func skipComment() {
    while current != nil, current != UInt8(ascii: "\n") { index += 1 }
  }

  private mutating func beginLine() {
    line += 1
    (column, counted) = (1, index)
  }

  private var current: UInt8? { index < bytes.count ? bytes[index] : nil }
  private var following: UInt8? { index + 1 < bytes.count ? bytes[index + 1] : nil }
  private var opensJSON: Bool { current == UInt8(ascii: "{") || current == UInt8(ascii: "[") }

  private func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n")
      || byte == UInt8(ascii: "\r") && following == UInt8(ascii: "\n")
  }

  private var place: ExpectationPlace {
    ExpectationPlace(line: line, column: column + String(decoding: bytes[counted..<index], as: UTF8.self).count)
  }

  private mutating func countedPlace() -> ExpectationPlace {
    let place = place
    (column, counted) = (place.column, index)
    return place
  }
}
