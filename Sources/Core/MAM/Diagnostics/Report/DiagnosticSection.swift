import JSON
import Model
import Support

/// A section of a diagnostic report for people. The terminal, the page and the console show the same sections.
package struct DiagnosticSection: Sendable {
  /// The anchor of links to the section.
  package let id: String
  package let title: String
  package var parts: [Part]

  /// Facts and tables about one item, such as an account, or about the section as a whole.
  package struct Part: Sendable {
    package var title: String?
    package var tag: Text?
    package var note: String?
    package var facts: [Fact] = []
    package var tables: [Table] = []
  }

  package struct Fact: Sendable {
    package let name: String
    package let value: Text

    init(_ name: String, _ value: Text) {
      self.name = name
      self.value = value
    }
  }

  package struct Table: Sendable {
    package let title: String
    package let columns: [String]
    package var rows: [Row]
    /// The text that is shown if there are no rows.
    package let empty: String
  }

  package struct Row: Sendable {
    package let cells: [Text]
    /// Whether the row may be left out where space is short.
    package var isMinor = false
    /// The title above this row and its neighbors with the same one; `nil` for a row without a title.
    package var group: String?
  }

  /// A text, and the impression that it gives at a glance.
  package struct Text: Sendable, Equatable, ExpressibleByStringInterpolation {
    package enum Tone: String, CaseIterable, Sendable, NamedValue {
      case plain, good, warning, bad, quiet
      package static let schemaName = "DiagnosticTone"
    }

    package let text: String
    package let tone: Tone
    /// The time that the text is about, if it is about one.
    package let moment: Moment?

    package init(_ text: String, _ tone: Tone = .plain, moment: Moment? = nil) {
      self.text = text
      self.tone = tone
      self.moment = moment
    }

    package init(stringLiteral text: String) { self.init(text) }

    static let none = Text("—", .quiet)
  }

  /// A time in the forms in which people and programs read it.
  package struct Moment: Sendable, Equatable {
    /// For example `2026-01-31 09:30:00 UTC`.
    package let exact: String
    package let time: Timestamp
    /// How far the time is from that of the report, for example `5 minutes ago`.
    package let distance: String
  }
}

extension DiagnosticSection.Moment {
  init(_ time: Timestamp, from now: Timestamp) {
    self.init(exact: "\(time.shortText) UTC", time: time, distance: time.distance(from: now))
  }
}
