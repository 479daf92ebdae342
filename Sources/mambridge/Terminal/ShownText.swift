import MAM

extension String {
  /// Without what would steer a terminal: controls show as their numbers.
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

  /// How many columns it takes.
  var columns: Int { reduce(0) { $0 + $1.columns } }

  /// In lines of `width` columns, broken between words where that is possible.
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

  /// At least one character; up to where a part of a name ends, where that is not too early.
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
  /// Two for the wide ones of East Asia and for pictures.
  fileprivate var columns: Int {
    switch unicodeScalars.first?.value ?? 0 {
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE4F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
      2
    default: 1
    }
  }
}
