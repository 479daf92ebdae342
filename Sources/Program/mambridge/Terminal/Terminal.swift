import Glibc
import MAM
import Support

/// How wide the reader's output is, and whether it shows colors.
struct Terminal {
  static let defaultWidth = 100
  static let widths = 20...400

  var width = defaultWidth
  var isColored = false

  /// Takes the width from the terminal, else from COLUMNS, else from `otherwise`.
  static func standardOutput(_ color: ColorChoice = .auto, otherwise width: Int = defaultWidth) -> Terminal {
    let known = windowWidth(of: STDOUT_FILENO) ?? environment("COLUMNS").flatMap { Int($0) }
    return Terminal(
      width: known.map { min(max($0, widths.lowerBound), widths.upperBound) } ?? width,
      isColored: color.isColored(on: STDOUT_FILENO))
  }

  /// Whether terminals of this kind understand escape sequences.
  static var obeysEscapes: Bool { environment("TERM").map { $0 != "dumb" } ?? false }

  func styled(_ text: String, _ style: Style) -> String {
    guard isColored, let code = style.code, !text.isEmpty else { return text }
    return "\u{1B}[\(code)m\(text)\u{1B}[0m"
  }

  /// `nil` if the descriptor is not a terminal with a known width.
  static func windowWidth(of descriptor: Int32) -> Int? {
    var size = winsize()
    guard isatty(descriptor) == 1, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }
}

/// The value of `--color`.
enum ColorChoice: String, CaseIterable {
  /// Colors on a terminal that has them, unless NO_COLOR is set.
  case auto
  case always, never

  func isColored(on descriptor: Int32) -> Bool {
    switch self {
    case .always: true
    case .never: false
    case .auto: isatty(descriptor) == 1 && environment("NO_COLOR") == nil && Terminal.obeysEscapes
    }
  }
}

/// How a piece of text looks.
enum Style {
  case title, head, plain, good, warning, bad, quiet

  init(_ tone: DiagnosticSection.Text.Tone) {
    switch tone {
    case .plain: self = .plain
    case .good: self = .good
    case .warning: self = .warning
    case .bad: self = .bad
    case .quiet: self = .quiet
    }
  }

  /// The code from ECMA-48. The terminal chooses the actual colors.
  var code: String? {
    switch self {
    case .plain: nil
    case .title: "1"
    case .head: "4"
    case .good: "32"
    case .warning: "33"
    case .bad: "31"
    case .quiet: "2"
    }
  }
}

extension String {
  /// The text with control characters shown as their numbers, so that it cannot steer a terminal.
  var shown: String {
    guard unicodeScalars.contains(where: \.isInvisible) else { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      if scalar.isInvisible {
        text += scalar.number
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }

  /// The same for a text of several lines.
  var shownLines: String {
    split(separator: "\n", omittingEmptySubsequences: false).map { String($0).shown }.joined(separator: "\n")
  }

  /// The number of columns that the text takes.
  var columns: Int { reduce(0) { $0 + $1.columns } }

  /// The text in lines of at most `width` columns, broken between words where possible.
  func wrapped(to width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in split(separator: " ", omittingEmptySubsequences: false) {
      var word = String(word)
      if !line.isEmpty, line.columns + 1 + word.columns <= width {
        line += " " + word
        continue
      }
      if !line.isEmpty { lines.append(line) }
      while word.columns > width {
        let piece = word.prefix(columns: width)
        lines.append(piece)
        word.removeFirst(piece.count)
      }
      line = word
    }
    return lines + (line.isEmpty && !lines.isEmpty ? [] : [line])
  }

  /// At least one character. Ends after a separator or before a capital letter, unless that is in the first half.
  private func prefix(columns width: Int) -> String {
    var (piece, whole) = ("", "")
    var count = 0
    for character in self {
      count += character.columns
      if !piece.isEmpty && count > width { break }
      if character.isUppercase, piece.last?.isLowercase == true { whole = piece }
      piece.append(character)
      if "-_./:;,@=".contains(character) { whole = piece }
    }
    return whole.columns * 2 > width ? whole : piece
  }

  func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - columns)) }
}

extension Character {
  /// Two for wide East Asian characters and for emoji.
  fileprivate var columns: Int {
    switch unicodeScalars.first?.value ?? 0 {
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE4F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
      2
    default: 1
    }
  }
}
