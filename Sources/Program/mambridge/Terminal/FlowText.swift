/// Words with styles. On a terminal they are in lines that fit, all but the first indented.
struct FlowText {
  private static let indent = 4

  private var words: [(text: String, style: Style)] = []

  /// Adds words, with characters that steer a terminal shown as numbers.
  mutating func add(_ text: String, _ style: Style = .plain) {
    words += text.shown.split(separator: " ").map { (String($0), style) }
  }

  /// Adds one word, padded so that the words after it are aligned.
  mutating func add(_ word: String, _ style: Style = .plain, paddedTo width: Int) {
    words.append((word.shown.padded(to: width), style))
  }

  /// In one line without a width.
  func lines(width: Int?, _ styled: (String, Style) -> String) -> [String] {
    guard let width else { return [words.map { styled($0.text, $0.style) }.joined(separator: " ")] }
    var lines: [String] = []
    var (line, columns) = ("", 0)
    for word in words {
      for piece in word.text.wrapped(to: max(1, width - Self.indent)) {
        if columns > 0, columns + 1 + piece.columns > width {
          lines.append(line)
          (line, columns) = (String(repeating: " ", count: Self.indent), Self.indent)
        } else if columns > 0 {
          (line, columns) = (line + " ", columns + 1)
        }
        line += styled(piece, word.style)
        columns += piece.columns
      }
    }
    return lines + [line]
  }
}
