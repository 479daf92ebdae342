extension JSONValue {
  /// Text for people and for files under version control: two spaces a level, short values in one line.
  package var indentedText: String {
    var text = ""
    appendIndented(to: &text, level: 0)
    return text
  }

  private func appendIndented(to text: inout String, level: Int) {
    let compact = jsonText
    guard compact.utf8.count > 80 else { return text += compact }
    switch self {
    case .array(let elements):
      appendBlock(to: &text, level, "[", "]", elements) { $0.appendIndented(to: &$1, level: level + 1) }
    case .object(let object):
      appendBlock(to: &text, level, "{", "}", object.members) { member, text in
        text += JSONValue.string(member.name).jsonText + ": "
        member.value.appendIndented(to: &text, level: level + 1)
      }
    default: text += compact
    }
  }

  private func appendBlock<Element>(
    to text: inout String, _ level: Int, _ open: String, _ close: String, _ elements: [Element],
    _ append: (Element, inout String) -> Void
  ) {
    let indent = String(repeating: "  ", count: level)
    text += open
    for (index, element) in elements.enumerated() {
      text += (index == 0 ? "\n" : ",\n") + indent + "  "
      append(element, &text)
    }
    text += "\n" + indent + close
  }
}
