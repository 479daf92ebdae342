/// Builds HTML, and escapes its text.
struct HTMLText {
  private(set) var text = ""

  mutating func raw(_ text: String) { self.text += text }

  /// Appends text for people. Characters that are markup, invisible, or change the direction of the text that follows
  /// are written in a visible form. With `breakingNames`, a name such as `allowedDataStorageLocations` may break
  /// between its parts.
  mutating func escaped(_ text: String, breakingNames: Bool = false) {
    var last: Unicode.Scalar = " "
    for scalar in text.unicodeScalars {
      if breakingNames, last.properties.isLowercase, scalar.properties.isUppercase { raw("<wbr>") }
      last = scalar
      switch scalar {
      case "&": self.text += "&amp;"
      case "<": self.text += "&lt;"
      case ">": self.text += "&gt;"
      case "\"": self.text += "&quot;"
      case "'": self.text += "&#39;"
      case _ where scalar.isInvisible: self.text += scalar.number
      default: self.text.unicodeScalars.append(scalar)
      }
    }
  }

  mutating func element(
    _ name: String, _ attributes: KeyValuePairs<String, String>, _ content: (inout HTMLText) -> Void
  ) {
    begin(name, attributes)
    content(&self)
    raw("</\(name)>")
    if Self.endsLine.contains(name) { raw("\n") }
  }

  /// Appends an element without an end tag.
  mutating func void(_ name: String, _ attributes: KeyValuePairs<String, String>) {
    begin(name, attributes)
    raw("\n")
  }

  private mutating func begin(_ name: String, _ attributes: KeyValuePairs<String, String>) {
    raw("<\(name)")
    for (name, value) in attributes {
      raw(" \(name)=\"")
      escaped(value)
      raw("\"")
    }
    raw(">")
  }

  private static let endsLine: Set = [
    "title", "style", "header", "nav", "section", "article", "div", "tr", "ul",
  ]
}

extension Unicode.Scalar {
  /// Whether the character is a control, or changes the direction of the text after it.
  package var isInvisible: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// For example `U+202E`.
  package var number: String { "U+" + String(value, radix: 16, uppercase: true) }
}
