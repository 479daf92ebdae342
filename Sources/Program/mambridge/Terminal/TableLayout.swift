import MAM

/// A table in columns; if they do not fit, each row becomes lines of its own.
struct TableLayout {
  typealias Styled = (String, Style) -> String

  private static let gap = 2
  private static let narrowestColumn = 14

  private let columns: [String]
  private let rows: [[DiagnosticSection.Text]]
  /// The title above each row and its neighbors with the same one; empty if no row has a title.
  private let groups: [String?]
  private let width: Int

  init(_ columns: [String], _ rows: [[DiagnosticSection.Text]], groups: [String?] = [], width: Int) {
    self.columns = columns
    self.groups = groups.contains { $0 != nil } ? groups : []
    self.rows = rows.map { $0.map { DiagnosticSection.Text($0.text.shown, $0.tone) } }
    self.width = width
  }

  func lines(_ styled: Styled) -> [String] {
    guard let widths else { return stacked(styled) }
    let head = row(columns.map { ($0, .head) }, widths, styled)
    return head + grouped(styled) { row in self.row(row.map { ($0.text, Style($0.tone)) }, widths, styled) }
  }

  /// The lines of all rows, with the title of a group before its first row.
  private func grouped(_ styled: Styled, _ lines: ([DiagnosticSection.Text]) -> [String]) -> [String] {
    rows.indices.flatMap { index -> [String] in
      guard index < groups.count, let title = groups[index], index == 0 || groups[index - 1] != title else {
        return lines(rows[index])
      }
      return title.shown.wrapped(to: width).map { styled($0, .title) } + lines(rows[index])
    }
  }

  /// `nil` if the columns do not fit even with the widest ones made narrower.
  private var widths: [Int]? {
    var widths = columns.indices.map { index in
      max(columns[index].columns, rows.map { $0[index].text.columns }.max() ?? 0)
    }
    let room = width - Self.gap * (columns.count - 1)
    while widths.reduce(0, +) > room {
      guard let widest = widths.indices.max(by: { widths[$0] < widths[$1] }) else { return nil }
      let others = widths.indices.filter { $0 != widest }.map { widths[$0] }
      let second = others.max() ?? 0
      let excess = widths.reduce(0, +) - room
      let narrowed = max(widths[widest] - excess, min(second, widths[widest] - 1), Self.narrowestColumn)
      guard narrowed < widths[widest] else { return nil }
      widths[widest] = narrowed
    }
    return widths
  }

  private func row(_ cells: [(text: String, style: Style)], _ widths: [Int], _ styled: Styled) -> [String] {
    let wrapped = zip(cells, widths).map { $0.text.wrapped(to: $1) }
    return (0..<(wrapped.map(\.count).max() ?? 0)).map { index in
      let pieces = zip(wrapped, cells).map { lines, cell in
        (index < lines.count ? lines[index] : "", cell.style)
      }
      return line(pieces, widths, styled)
    }
  }

  /// Adds no padding after the last text of a line.
  private func line(_ pieces: [(String, Style)], _ widths: [Int], _ styled: Styled) -> String {
    let last = pieces.lastIndex { !$0.0.isEmpty } ?? 0
    return zip(pieces, widths).prefix(last + 1).enumerated().map { index, cell in
      let (piece, width) = cell
      let padding = index == last ? 0 : max(0, width - piece.0.columns) + Self.gap
      return styled(piece.0, piece.1) + String(repeating: " ", count: padding)
    }.joined()
  }

  private func stacked(_ styled: Styled) -> [String] {
    grouped(styled) { row -> [String] in
      let first = row.first.map { $0.text.wrapped(to: width).map { line in styled(line, .head) } } ?? []
      return first
        + zip(columns, row).dropFirst().flatMap { column, cell in
          let lines = "\(column): \(cell.text)".wrapped(to: max(1, width - 2))
          return lines.map { "  " + styled($0, Style(cell.tone)) }
        }
    }
  }
}
