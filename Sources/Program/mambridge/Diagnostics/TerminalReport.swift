import MAM
import Model

/// A diagnostic report as lines of text no wider than the terminal.
struct TerminalReport {
  private let terminal: Terminal
  private var lines: [String] = []

  init(_ terminal: Terminal) {
    self.terminal = terminal
  }

  func text(of report: DiagnosticReport) -> String {
    var writer = self
    for section in report.sections { writer.write(section) }
    return writer.lines.joined(separator: "\n") + "\n"
  }

  private mutating func write(_ section: DiagnosticSection) {
    if !lines.isEmpty { lines.append("") }
    let title = section.title.uppercased()
    let rule = String(repeating: terminal.isColored ? "─" : "-", count: max(0, terminal.width - title.columns - 1))
    lines.append(terminal.styled(title, .title) + " " + terminal.styled(rule, .quiet))
    for part in section.parts { write(part) }
  }

  private mutating func write(_ part: DiagnosticSection.Part) {
    if let title = part.title { writeTitle(title.shown, part.tag) }
    let indent = part.title == nil ? 0 : 2
    if let note = part.note { write(note, .quiet, indent: indent) }
    write(part.facts, indent: indent)
    for table in part.tables { write(table, indent: indent) }
  }

  /// Puts the tag beside the title if there is room, and below it otherwise.
  private mutating func writeTitle(_ title: String, _ tag: DiagnosticSection.Text?) {
    let parts = title.wrapped(to: terminal.width)
    lines += [""] + parts.map { terminal.styled($0, .title) }
    guard let tag else { return }
    let text = terminal.styled(tag.text, Style(tag.tone))
    if (parts.last ?? "").columns + 2 + tag.text.columns <= terminal.width {
      lines[lines.count - 1] += "  " + text
    } else {
      lines.append(text)
    }
  }

  private mutating func write(_ text: String, _ style: Style, indent: Int) {
    let margin = String(repeating: " ", count: indent)
    lines += text.shown.wrapped(to: max(1, terminal.width - indent)).map { margin + terminal.styled($0, style) }
  }

  /// Aligns the values in a column after the longest name.
  private mutating func write(_ facts: [DiagnosticSection.Fact], indent: Int) {
    let width = min(facts.map(\.name.shown.columns).max() ?? 0, terminal.width / 3)
    let start = indent + width + 2
    for fact in facts {
      let name = fact.name.shown.wrapped(to: max(1, width))
      let value = fact.value.text.shown.wrapped(to: max(1, terminal.width - start))
      for index in 0..<max(name.count, value.count) {
        let left = (index < name.count ? name[index] : "").padded(to: width)
        let right = index < value.count ? terminal.styled(value[index], Style(fact.value.tone)) : ""
        lines.append(String(repeating: " ", count: indent) + terminal.styled(left, .quiet) + "  " + right)
      }
    }
  }

  /// Counts the minor rows instead of showing them.
  private mutating func write(_ table: DiagnosticSection.Table, indent: Int) {
    let shown = table.rows.filter { !$0.isMinor }
    let omitted = table.rows.count - shown.count
    if !table.title.isEmpty && indent > 0 {
      lines.append("")
      write(table.title, .plain, indent: indent)
    }
    if table.rows.isEmpty { return write(table.empty, .quiet, indent: indent) }
    if !shown.isEmpty {
      let layout = TableLayout(
        table.columns, shown.map(\.cells), groups: shown.map(\.group), width: terminal.width - indent)
      lines += layout.lines(terminal.styled).map { String(repeating: " ", count: indent) + $0 }
    }
    if omitted > 0 {
      write("\(omitted) more at their defaults or not applicable; --json lists them", .quiet, indent: indent)
    }
  }
}
