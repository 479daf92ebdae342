extension DiagnosticDocument {
  /// The report as lines of plain text.
  var plainText: String { sections.map(\.plainLines).joined(separator: [""]).joined(separator: "\n") }
}

extension DiagnosticSection {
  fileprivate var plainLines: [String] { [title.uppercased()] + parts.flatMap(\.plainLines) }
}

extension DiagnosticSection.Part {
  fileprivate var plainLines: [String] {
    let head = title.map { title in ["", tag.map { "\(title) (\($0.text))" } ?? title] } ?? []
    return head + [note].compactMap { $0 } + facts.map { "\($0.name): \($0.value.text)" } + tables.flatMap(\.plainLines)
  }
}

extension DiagnosticSection.Table {
  fileprivate var plainLines: [String] {
    guard !rows.isEmpty else { return empty.isEmpty ? [] : [empty] }
    var lines = ["", "\(title): \(columns.joined(separator: " | "))"]
    var group: String?
    for row in rows {
      if let title = row.group, title != group { lines.append("  \(title)") }
      group = row.group
      lines.append("  - " + row.cells.map(\.text).joined(separator: " | "))
    }
    return lines
  }
}
