import Model

/// A section of a diagnostic report for people. The terminal and the page show the same sections.
package struct DiagnosticSection: Sendable {
  /// The anchor of links to the section.
  package let id: String
  package let title: String
  package var blocks: [Block]

  package enum Block: Sendable {
    case facts([Fact])
    case table(Table)
    /// Blocks about one item, such as an account.
    case group(title: String, tag: Text?, [Block])
    case note(String)
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
  }

  /// A text, and the impression that it gives at a glance.
  package struct Text: Sendable, Equatable, ExpressibleByStringInterpolation {
    package enum Tone: String, Sendable { case plain, good, warning, bad, quiet }

    package let text: String
    package let tone: Tone

    package init(_ text: String, _ tone: Tone = .plain) {
      self.text = text
      self.tone = tone
    }

    package init(stringLiteral text: String) { self.init(text) }

    static let none = Text("—", .quiet)
  }
}
