import Glibc

/// A tag of a page, as far as a test has to understand it: attributes stand in double quotes.
struct PageTag {
  let name: String
  let isEnd: Bool
  let attributes: [String: String]

  /// All but those that only look so in styles and scripts.
  static func all(in page: String) -> [PageTag] {
    var tags: [PageTag] = []
    var rest = Substring(page)
    while let start = rest.firstIndex(of: "<"), let end = rest[start...].firstIndex(of: ">") {
      let tag = PageTag(rest[rest.index(after: start)..<end])
      tags.append(tag)
      rest = rest[rest.index(after: end)...]
      guard ["style", "script"].contains(tag.name), !tag.isEnd else { continue }
      while !rest.isEmpty, !rest.hasPrefix("</\(tag.name)>") { rest.removeFirst() }
    }
    return tags
  }

  private init(_ text: Substring) {
    isEnd = text.hasPrefix("/")
    let pieces = text.drop { $0 == "/" }.split(separator: "\"", omittingEmptySubsequences: false)
    name = pieces.first?.split(separator: " ").first.map(String.init) ?? ""
    var attributes: [String: String] = [:]
    for index in stride(from: 0, to: pieces.count - 1, by: 2) {
      guard let name = pieces[index].split(separator: " ").last?.dropLast() else { continue }
      attributes[String(name)] = String(pieces[index + 1])
    }
    self.attributes = attributes
  }
}

/// The colors of a theme by name, as `--name:light-dark(#rrggbb,#rrggbb);`.
struct PageColors {
  private var colors: [String: [Double]] = [:]

  /// `theme` is 0 for light and 1 for dark.
  init(_ style: String, theme: Int) {
    for declaration in style.split(separator: ";") {
      let parts = declaration.split(separator: ":").map { $0.drop { $0 == " " || $0 == "\n" } }
      guard parts.count == 2, parts[0].hasPrefix("--"), parts[1].hasPrefix("light-dark(#") else { continue }
      let values = parts[1].dropFirst("light-dark(".count).dropLast().split(separator: ",")
      guard values.count == 2, let number = Int(values[theme].dropFirst(), radix: 16) else { continue }
      colors[String(parts[0].dropFirst(2))] = [16, 8, 0].map { Double(number >> $0 & 255) / 255 }
    }
  }

  /// As the Web Content Accessibility Guidelines 2.1 define it.
  func contrast(_ text: String, _ ground: String) -> Double? {
    guard let text = luminance(text), let ground = luminance(ground) else { return nil }
    return (max(text, ground) + 0.05) / (min(text, ground) + 0.05)
  }

  private func luminance(_ name: String) -> Double? {
    colors[name].map { color in
      zip(color, [0.2126, 0.7152, 0.0722]).reduce(0) { sum, channel in
        let (value, weight) = channel
        return sum + weight * (value <= 0.03928 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4))
      }
    }
  }
}
