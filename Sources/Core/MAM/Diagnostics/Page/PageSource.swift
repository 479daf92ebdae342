/// The text of a script or style sheet without what only its readers need: the indentation, lines that are a `//` comment
/// in a script, and lines that are a `/* */` comment in a style sheet. Other comments stay. A style sheet also loses the
/// spaces and line ends beside its punctuation, the semicolon at the end of a rule, and the zero
/// before a decimal point.
struct PageSource {
  /// Whether the text is a script, whose template literals keep their lines as they are, or a style sheet.
  let isScript: Bool

  /// `nil` for a file that stays as it is.
  init?(named name: String) {
    guard name.hasSuffix(".js") || name.hasSuffix(".css") else { return nil }
    isScript = name.hasSuffix(".js")
  }

  func stripped(_ text: UnsafeRawBufferPointer) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var isInTemplate = false
    var start = text.startIndex
    while start < text.endIndex {
      let end = text[start...].firstIndex(of: Self.newline).map { $0 + 1 } ?? text.endIndex
      var line = text[start..<end]
      start = end
      if !isInTemplate {
        line = line.drop { $0 == UInt8(ascii: " ") }
        if line.first == Self.newline || isComment(line) { continue }
      }
      if isScript, Self.togglesTemplate(line) { isInTemplate.toggle() }
      if isScript { result.append(contentsOf: line) } else { Self.append(style: line, to: &result) }
    }
    return result
  }

  private func isComment(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
    guard !isScript else { return line.starts(with: "//".utf8) }
    let text = line.last == Self.newline ? line.dropLast() : line
    guard text.count >= 4, text.starts(with: "/*".utf8), text.suffix(2).elementsEqual("*/".utf8) else { return false }
    return !zip(text.dropFirst(2).dropLast(2), text.dropFirst(3).dropLast(1)).contains {
      $0 == UInt8(ascii: "*") && $1 == UInt8(ascii: "/")
    }
  }

  /// Whether the line begins a template literal that goes on in the next line, or ends one.
  private static func togglesTemplate(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
    var (isOdd, isEscaped) = (false, false)
    for byte in line {
      if byte == UInt8(ascii: "`"), !isEscaped { isOdd.toggle() }
      isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
    }
    return isOdd
  }

  /// Strings stay as they are. None goes on in the next line.
  private static func append(style line: Slice<UnsafeRawBufferPointer>, to result: inout [UInt8]) {
    var quote: UInt8?
    for byte in line {
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: " ") || byte == newline, result.last.map(punctuation.contains) == true {
        continue
      } else if braces.contains(byte), result.last == UInt8(ascii: " ") {
        result.removeLast()
      } else if byte == UInt8(ascii: "}"), result.last == UInt8(ascii: ";") {
        result.removeLast()
      } else if byte == UInt8(ascii: "."), beginNumber.contains(where: result.suffix(2).elementsEqual) {
        result.removeLast()
      }
      result.append(byte)
    }
  }

  /// A colon is before a value only if a space follows; `a :hover` keeps its space.
  private static let punctuation = Array(",:;{}".utf8)
  private static let beginNumber = [" 0", ":0", ",0", "(0"].map { Array($0.utf8) }
  private static let braces = Array("{}".utf8)
  private static let newline = UInt8(ascii: "\n")
}
