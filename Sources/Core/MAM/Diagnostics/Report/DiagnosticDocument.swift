import JSON
import Model
import Support

/// A diagnostic report as a program gets it that shows the report to people.
package struct DiagnosticDocument: Sendable {
  package var appId: String
  package var time: Timestamp
  /// In the order in which a person in support needs them.
  package var sections: [DiagnosticSection]
}

extension DiagnosticReport {
  package var document: DiagnosticDocument {
    DiagnosticDocument(appId: information.appId, time: information.time, sections: sections)
  }
}

extension DiagnosticDocument {
  package static let example: DiagnosticDocument = {
    let now = Timestamp(milliseconds: 1_770_000_000_000)
    let table = DiagnosticSection.Table(
      title: "Time and result", columns: ["Account", "Next"],
      rows: [.init(cells: ["alice@contoso.example", .init(now.advanced(by: 1_800_000), now: now)])],
      empty: "No account is registered, so there are no check-ins.")
    return DiagnosticDocument(
      appId: "com.example.host", time: now,
      sections: [.init(id: "checkins", title: "Last check-ins", parts: [.init(tables: [table])])])
  }()
}

extension DiagnosticDocument: Record {
  package static let fields = Fields(
    Self.init(appId:time:sections:),
    Field("appId", \.appId, "The bundle id of the app."),
    Field("time", \.time, "When the report was made, by the server's clock."),
    Field("sections", \.sections, "The sections, in the order in which a person in support needs them."))
}

extension DiagnosticSection: Record {
  package static let fields = Fields(
    Self.init(id:title:parts:),
    Field("id", \.id, "A word that names the section, for links to it."),
    Field("title", \.title, "The title of the section."),
    Field("parts", \.parts, "What the section contains, from top to bottom."))
}

extension DiagnosticSection.Part: Record {
  package static let schemaName = "DiagnosticPart"
  package static let fields = Fields(
    Self.init(title:tag:note:facts:tables:),
    Field("title", \.title, "The item that the part is about, such as an account; null for the section as a whole."),
    Field("tag", \.tag, "The state of that item; null if the part has none."),
    Field("note", \.note, "A sentence above the facts; null if there is none."),
    Field("facts", \.facts, "Names and values."),
    Field("tables", \.tables, "The tables below the facts."))
}

extension DiagnosticSection.Fact: Record {
  package static let schemaName = "DiagnosticFact"
  package static let fields = Fields(
    Self.init(_:_:), Field("name", \.name, "What the fact is about."), Field("value", \.value, "The fact."))
}

extension DiagnosticSection.Table: Record {
  package static let schemaName = "DiagnosticTable"
  package static let fields = Fields(
    Self.init(title:columns:rows:empty:),
    Field("title", \.title, "The title of the table."),
    Field("columns", \.columns, "The titles of the columns."),
    Field("rows", \.rows, "The rows, each with one cell a column."),
    Field("empty", \.empty, "What to show if there are no rows."))
}

extension DiagnosticSection.Row: Record {
  package static let schemaName = "DiagnosticRow"
  package static let fields = Fields(
    Self.init(cells:isMinor:group:),
    Field("cells", \.cells, "The cells; the first one is the head of the row."),
    Field("isMinor", \.isMinor, "Whether the row may be left out where space is short."),
    Field(
      "group", \.group,
      "The title above this row and its neighbors with the same title; null for a row without a title."))
}

extension DiagnosticSection.Text: Record {
  package static let schemaName = "DiagnosticText"
  package static let fields = Fields(
    Self.init(_:_:moment:),
    Field("text", \.text, "The text. It may contain any character, because parts of it come from files and hosts."),
    Field("tone", \.tone, "The impression that the text gives at a glance."),
    Field("moment", \.moment, "The time that the text is about; null if it is about none."))
}

extension DiagnosticSection.Moment: Record {
  package static let schemaName = "DiagnosticMoment"
  package static let fields = Fields(
    Self.init(exact:time:distance:),
    Field("exact", \.exact, "The time for people, to the second, in UTC."),
    Field("time", \.time, "The time."),
    Field("distance", \.distance, "How far the time is from that of the report, such as \"5 minutes ago\"."))
}
