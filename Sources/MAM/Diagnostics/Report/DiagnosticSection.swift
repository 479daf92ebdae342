import Model

/// A part of a diagnostic report as people read it; the terminal and the page draw the same.
package struct DiagnosticSection: Sendable {
  /// Where a link leads.
  package let id: String
  package let title: String
  package var blocks: [Block]

  package enum Block: Sendable {
    case facts([Fact])
    case table(Table)
    /// Blocks about one thing, such as an account.
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
    /// What is said where there are no rows.
    package let empty: String
  }

  package struct Row: Sendable {
    package let cells: [Text]
    /// Whether it may be left out where there is little room.
    package var isMinor = false
  }

  /// A text, and what a glance at it is to tell.
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
