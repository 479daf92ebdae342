import Glibc

/// What the reader of the output has: how wide it is, and whether it shows colors.
struct Terminal {
  static let defaultWidth = 100
  static let widths = 20...400

  var width = defaultWidth
  var isColored = false

  /// The width of the terminal, else that of COLUMNS, `otherwise` without one. Colors need a terminal that has them, and
  /// no NO_COLOR.
  static func standardOutput(otherwise width: Int = defaultWidth) -> Terminal {
    let isTerminal = isatty(STDOUT_FILENO) == 1
    let known = (isTerminal ? windowWidth : nil) ?? text(of: "COLUMNS").flatMap { Int($0) }
    return Terminal(
      width: known.map { min(max($0, widths.lowerBound), widths.upperBound) } ?? width,
      isColored: isTerminal && text(of: "NO_COLOR") == nil && text(of: "TERM") != "dumb")
  }

  func styled(_ text: String, _ style: Style) -> String {
    guard isColored, let code = style.code, !text.isEmpty else { return text }
    return "\u{1B}[\(code)m\(text)\u{1B}[0m"
  }

  private static var windowWidth: Int? {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Nil for an empty one, too.
  private static func text(of variable: String) -> String? {
    getenv(variable).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
