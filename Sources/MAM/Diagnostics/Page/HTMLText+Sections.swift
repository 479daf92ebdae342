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
    case .note(let text): element("p", ["class": "note"]) { $0.breakable(text) }
    case .group(let title, let tag, let blocks):
      element("article", [:]) { html in
        html.element("h3", [:]) { html in
          html.breakable(title)
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
    guard text.tone != .plain else { return content(of: text) }
    element("span", ["class": text.tone.rawValue]) { $0.content(of: text) }
  }

  /// A time is shown as its distance; the exact time appears on hover, and on paper.
  private mutating func content(of text: DiagnosticSection.Text) {
    guard let moment = text.moment else { return breakable(text.text) }
    element("time", ["datetime": moment.standard, "title": moment.exact]) { $0.escaped(moment.distance) }
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
      for rows in rows.chunkedByGroup {
        html.element("tbody", ["role": "rowgroup"]) { html in
          if let title = rows.first?.group { html.groupTitle(title, of: table) }
          for row in rows { html.row(row, of: table) }
        }
      }
    }
  }

  private mutating func groupTitle(_ title: String, of table: DiagnosticSection.Table) {
    element("tr", ["role": "row", "class": "group"]) { html in
      html.element(
        "th", ["role": "rowheader", "scope": "rowgroup", "colspan": "\(table.columns.count)"]
      ) { $0.breakable(title) }
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

extension [DiagnosticSection.Row] {
  /// Neighbors with the same group together.
  fileprivate var chunkedByGroup: [[Element]] {
    reduce(into: []) { chunks, row in
      if let last = chunks.last?.last, last.group == row.group {
        chunks[chunks.count - 1].append(row)
      } else {
        chunks.append([row])
      }
    }
  }
}
