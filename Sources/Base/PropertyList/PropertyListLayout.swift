import JSON

/// How an XML property list breaks and indents its lines.
struct PropertyListLayout {
  let newline: String
  /// The indentation of one level; a tab, as in Xcode, if the text has no example.
  let unit: String

  /// Everything on one line.
  static let inline = PropertyListLayout(newline: "", unit: "")

  func xml(_ value: JSONValue, indent: String) -> String {
    switch value {
    case .bool(let value): value ? "<true/>" : "<false/>"
    case .integer(let value): "<integer>\(value)</integer>"
    case .number(let value): "<real>\(value)</real>"
    case .string(let text): "<string>\(escaped(text))</string>"
    case .array(let elements): container("array", elements.map { xml($0, indent: indent + unit) }, indent)
    case .object(let object): container("dict", object.members.flatMap { lines($0, indent + unit) }, indent)
    // No property list contains null.
    case .null: "<string/>"
    }
  }

  /// The key and the value, on lines of their own.
  func lines(_ member: JSONObject.Member, _ indent: String) -> [String] {
    ["<key>\(escaped(member.name))</key>", xml(member.value, indent: indent)]
  }

  func comment(_ text: String) -> String { "<!-- \(text) -->" }

  private func container(_ name: String, _ lines: [String], _ indent: String) -> String {
    guard !lines.isEmpty else { return "<\(name)/>" }
    return "<\(name)>" + lines.map { newline + indent + unit + $0 }.joined() + newline + indent + "</\(name)>"
  }

  private func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { escaped, scalar in
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\r": break
      case "\n": escaped += newline.isEmpty ? "\n" : newline
      default: escaped.unicodeScalars.append(scalar)
      }
    }
  }
}

extension PropertyListLayout {
  init(of root: PropertyListElement, in bytes: [UInt8]) {
    let end = bytes.firstIndex(of: UInt8(ascii: "\n"))
    newline = end.map { $0 > 0 && bytes[$0 - 1] == UInt8(ascii: "\r") ? "\r\n" : "\n" } ?? ""
    unit = newline.isEmpty ? "" : Self.unit(of: root, in: bytes) ?? "\t"
  }

  private static func unit(of element: PropertyListElement, in bytes: [UInt8]) -> String? {
    let own = bytes.indent(at: element.range.lowerBound)
    if let first = element.firstChild, bytes.beginsLine(first) {
      let indent = bytes.indent(at: first)
      if indent.hasPrefix(own), indent != own { return String(indent.dropFirst(own.count)) }
    }
    for child in element.children {
      if let unit = unit(of: child, in: bytes) { return unit }
    }
    return nil
  }
}

extension [UInt8] {
  /// The white space at the beginning of the line.
  func indent(at offset: Int) -> String {
    let start = lineStart(of: offset)
    return String(decoding: self[start..<offset].prefix { $0 == 0x20 || $0 == 0x09 }, as: UTF8.self)
  }

  /// Whether only white space precedes it on its line.
  func beginsLine(_ offset: Int) -> Bool {
    let start = lineStart(of: offset)
    return (start > 0) && self[start..<offset].allSatisfy { $0 == 0x20 || $0 == 0x09 }
  }

  private func lineStart(of offset: Int) -> Int {
    self[..<offset].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
  }
}
