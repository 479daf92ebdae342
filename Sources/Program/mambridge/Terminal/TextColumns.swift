/// Terms with their explanations beside them, in lines no wider than `width`. If there is no room beside the terms, each
/// explanation is below its term.
struct DefinitionList {
  static let indent = 2
  private static let narrowestText = 24

  let width: Int
  var items: [(term: String, text: [String])] = []

  init(width: Int) {
    self.width = width
  }

  /// Leaves out empty paragraphs.
  mutating func add(_ term: String, _ paragraphs: [String]) { items.append((term, paragraphs.filter { !$0.isEmpty })) }

  func lines(_ styled: (String, Style) -> String) -> [String] {
    let longest = min(items.map(\.term.columns).max() ?? 0, max(8, width / 3))
    let start = Self.indent + longest + 2
    guard width - start >= Self.narrowestText else { return items.flatMap { stacked($0.term, $0.text, styled) } }
    return items.flatMap { item -> [String] in
      let text = item.text.flatMap { $0.wrapped(to: width - start) }
      guard item.term.columns <= longest else {
        return [margin(Self.indent) + styled(item.term, .title)] + text.map { margin(start) + $0 }
      }
      let first =
        margin(Self.indent) + styled(item.term, .title)
        + margin(longest - item.term.columns + 2) + (text.first ?? "")
      return [first.trimmed] + text.dropFirst().map { margin(start) + $0 }
    }
  }

  private func stacked(_ term: String, _ text: [String], _ styled: (String, Style) -> String) -> [String] {
    let terms = term.wrapped(to: max(1, width - Self.indent)).map { margin(Self.indent) + styled($0, .title) }
    let deep = Self.indent * 2
    return terms + text.flatMap { $0.wrapped(to: max(1, width - deep)) }.map { margin(deep) + $0 }
  }

  private func margin(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }
}

extension String {
  /// The text without spaces at its end.
  fileprivate var trimmed: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
