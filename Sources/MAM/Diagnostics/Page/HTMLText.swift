/// Builds HTML, and escapes its text.
struct HTMLText {
  private(set) var text = ""

  mutating func raw(_ text: String) { self.text += text }

  /// Appends text for people. Characters that are markup, invisible, or change the direction of the text that follows
  /// are written in a visible form.
  mutating func escaped(_ text: some StringProtocol) {
    for scalar in text.unicodeScalars {
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

  /// Like `escaped`, for text in a narrow column. A word stays in one piece, but a long name may break between its
  /// parts, as in `allowedInboundDataTransferSources`, and a part that is still long may break anywhere.
  mutating func breakable(_ text: String) {
    for (index, word) in text.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
      if index > 0 { raw(" ") }
      guard word.count > Self.longestWord else {
        escaped(word)
        continue
      }
      for (index, part) in word.nameParts.enumerated() {
        if index > 0 { raw("<wbr>") }
        if part.count > Self.longestWord {
          element("span", ["class": "long"]) { $0.escaped(part) }
        } else {
          escaped(part)
        }
      }
    }
  }

  /// The number of characters that fit into a narrow column, as a time of RFC 3339 does.
  private static let longestWord = 26

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

extension Substring {
  /// The pieces of a long name, which begin at a capital letter after a small one, or after a separator.
  fileprivate var nameParts: [Substring] {
    var parts: [Substring] = []
    var start = startIndex
    for (index, next) in zip(indices, indices.dropFirst()) {
      let isBoundary =
        self[index].isLowercase && self[next].isUppercase
        || "-_./:;,@=+&?".contains(self[index]) && self[next] != self[index]
      guard isBoundary else { continue }
      parts.append(self[start..<next])
      start = next
    }
    return parts + [self[start...]]
  }
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
