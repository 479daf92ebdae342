extension HTMLText {
  mutating func section(_ section: DiagnosticSection) {
    let heading = "\(section.id)-title"
    element("section", ["id": section.id, "aria-labelledby": heading]) { html in
      html.element("h2", ["id": heading]) { $0.escaped(section.title) }
      for block in section.blocks { html.block(block, in: section) }
    }
  }

  private mutating func block(_ block: DiagnosticSection.Block, in section: DiagnosticSection) {
    switch block {
    case .facts(let facts) where facts.isEmpty: return
    case .facts(let facts):
      element("dl", ["class": "facts"]) { html in
        for fact in facts { html.fact(fact) }
      }
    case .table(let table): self.table(table)
    case .note(let text): element("p", ["class": "note"]) { $0.escaped(text) }
    case .group(let title, let tag, let blocks):
      element("article", [:]) { html in
        html.element("h3", [:]) { html in
          html.escaped(title)
          html.raw(" ")
          if let tag { html.value(tag) }
        }
        for block in blocks { html.block(block, in: section) }
      }
    }
  }

  mutating func fact(_ fact: DiagnosticSection.Fact) {
    element("div", [:]) { html in
      html.element("dt", [:]) { $0.escaped(fact.name) }
      html.element("dd", [:]) { $0.value(fact.value) }
    }
  }

  private mutating func value(_ text: DiagnosticSection.Text) {
    guard text.tone != .plain else { return escaped(text.text, breakingNames: true) }
    element("span", ["class": text.tone.rawValue]) { $0.escaped(text.text, breakingNames: true) }
  }

  /// Puts minor rows behind a click. The search opens them.
  private mutating func table(_ table: DiagnosticSection.Table) {
    let minor = table.rows.filter(\.isMinor)
    guard !table.rows.isEmpty else { return element("p", ["class": "note"]) { $0.escaped(table.empty) } }
    if minor.count < table.rows.count { rows(table.rows.filter { !$0.isMinor }, of: table, title: table.title) }
    guard !minor.isEmpty else { return }
    element("details", [:]) { html in
      html.element("summary", [:]) { $0.escaped("\(minor.count) more at their defaults or not applicable") }
      html.rows(minor, of: table, title: "\(table.title): at their defaults or not applicable")
    }
  }

  /// The roles tell assistive technology that this is a table, even if a narrow screen shows the rows as blocks.
  private mutating func rows(_ rows: [DiagnosticSection.Row], of table: DiagnosticSection.Table, title: String) {
    element("table", ["role": "table"]) { html in
      html.element("caption", [:]) { $0.escaped(title) }
      html.element("thead", ["role": "rowgroup"]) { html in
        html.element("tr", ["role": "row"]) { html in
          for column in table.columns {
            html.element("th", ["role": "columnheader", "scope": "col"]) { $0.escaped(column) }
          }
        }
      }
      html.element("tbody", ["role": "rowgroup"]) { html in
        for row in rows { html.row(row, of: table) }
      }
    }
  }

  private mutating func row(_ row: DiagnosticSection.Row, of table: DiagnosticSection.Table) {
    element("tr", ["role": "row"]) { html in
      for (index, (cell, column)) in zip(row.cells, table.columns).enumerated() {
        if index == 0 {
          html.element("th", ["role": "rowheader", "scope": "row", "data-column": column]) { $0.value(cell) }
        } else {
          html.element("td", ["role": "cell", "data-column": column]) { $0.value(cell) }
        }
      }
    }
  }
}
