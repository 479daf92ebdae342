/// A text in roff, with the macros of man(7).
struct Roff {
  /// mandoc recommends lines of at most 80 bytes.
  private static let lineLength = 78

  private(set) var text = ""
  private var isBelowHeading = false

  /// Adds a line as it is.
  mutating func line(_ line: String) {
    text += line + "\n"
    isBelowHeading = line.hasPrefix(".SH ") || line.hasPrefix(".SS ")
  }

  /// Separates what follows from the paragraph above it; a heading needs no separation.
  mutating func startParagraph() {
    if !isBelowHeading { line(".PP") }
  }

  /// Adds text in lines that fit, each sentence in lines of its own. Names of options are bold.
  mutating func fill(_ words: String) {
    var line = ""
    for word in words.split(separator: " ") {
      let next = Self.styled(String(word))
      if !line.isEmpty, line.utf8.count + 1 + next.utf8.count > Self.lineLength || line.hasSuffix(".") {
        self.line(Self.guarded(line))
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + next
    }
    self.line(Self.guarded(line))
  }

  /// Adds lines that stay as they are, indented.
  mutating func code(_ lines: [String]) {
    startParagraph()
    line(".RS 4\n.EX")
    for line in lines { self.line(Self.guarded(Self.escaped(line))) }
    line(".EE\n.RE")
  }

  static func bold(_ word: String) -> String { "\\fB\(escaped(word))\\fR" }
  static func italic(_ word: String) -> String { "\\fI\(escaped(word))\\fR" }

  /// The text with characters that mean something to roff, or that roff would replace, by their names.
  static func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { escaped, scalar in
      switch scalar {
      case "\\": escaped += "\\e"
      case "-": escaped += "\\-"
      case "'": escaped += "\\(aq"
      case "`": escaped += "\\(ga"
      case "^": escaped += "\\(ha"
      case "~": escaped += "\\(ti"
      case "\u{80}"...: escaped += "\\[u\(scalar.hexadecimal)]"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
  }

  private static func styled(_ word: String) -> String {
    guard word.hasPrefix("--") else { return escaped(word) }
    let name = word.prefix { $0.isLetter || $0 == "-" }
    return bold(String(name)) + escaped(String(word.dropFirst(name.count)))
  }

  /// A period or a quote at the start of a line would make it a macro.
  private static func guarded(_ line: String) -> String {
    line.hasPrefix(".") || line.hasPrefix("'") ? "\\&\(line)" : line
  }

}

extension Unicode.Scalar {
  /// At least four digits, as roff needs them.
  fileprivate var hexadecimal: String {
    let digits = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
