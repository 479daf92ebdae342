import JSON

/// The XML form of a property list. FoundationEssentials' reader is not used because it reports no line numbers,
/// accepts duplicate keys, and ends the process if elements nest too deeply.
struct XMLPropertyList {
  let root: PropertyListElement
  /// The ranges of comments.
  let comments: [Range<Int>]

  init(_ text: [UInt8]) throws(PropertyListError) {
    let isUTF16 = text.starts(with: [0xFE, 0xFF]) || text.starts(with: [0xFF, 0xFE])
    guard !isUTF16 else { throw PropertyListError("the file is UTF-16; save it as UTF-8") }
    let start = text.starts(with: [0xEF, 0xBB, 0xBF]) ? text.dropFirst(3) : text[...]
    guard start.first(where: { $0 > 0x20 }) == UInt8(ascii: "<") else {
      throw PropertyListError("this is not a property list, neither XML nor binary")
    }
    var parser = XMLPropertyListParser(scanner: XMLScanner(text))
    root = try parser.document()
    comments = parser.scanner.comments
  }
}

private struct XMLPropertyListParser {
  private static let nestingLimit = 64
  private(set) var scanner: XMLScanner

  init(scanner: XMLScanner) {
    self.scanner = scanner
  }

  mutating func document() throws(PropertyListError) -> PropertyListElement {
    guard case .open("plist") = try scanner.nextTag() else { throw scanner.error("<plist> is missing") }
    let element = try element(after: try scanner.nextTag(), level: 0)
    try expectClose("plist")
    try scanner.expectEnd()
    return element
  }

  private mutating func element(
    after tag: XMLScanner.Tag, level: Int
  ) throws(PropertyListError) -> PropertyListElement {
    guard level < Self.nestingLimit else { throw scanner.error("elements are nested too deeply") }
    switch tag {
    case .open(let name): return try element(name, level: level)
    case .empty(let name):
      guard let content = Self.empty(name) else { throw scanner.error("<\(name)/> is not a property list value") }
      let end = scanner.tag.upperBound
      return PropertyListElement(content: content, range: scanner.tag, inner: end..<end)
    case .close(let name): throw scanner.error("found </\(name)>, but expected a value")
    }
  }

  private static func empty(_ name: String) -> PropertyListElement.Content? {
    switch name {
    case "true": .leaf(true)
    case "false": .leaf(false)
    case "string", "data": .leaf("")
    case "array": .array([])
    case "dict": .dictionary([])
    default: nil
    }
  }

  private mutating func element(_ name: String, level: Int) throws(PropertyListError) -> PropertyListElement {
    let opening = scanner.tag
    let content: PropertyListElement.Content
    switch name {
    case "array": content = .array(try elements(level))
    case "dict": content = .dictionary(try entries(level))
    default: content = .leaf(try leaf(name))
    }
    let closing = scanner.tag
    return PropertyListElement(
      content: content, range: opening.lowerBound..<closing.upperBound, inner: opening.upperBound..<closing.lowerBound)
  }

  private mutating func leaf(_ name: String) throws(PropertyListError) -> JSONValue {
    guard ["string", "integer", "real", "date", "data", "true", "false"].contains(name) else {
      throw scanner.error("<\(name)> is not a property list value")
    }
    let text = try scanner.text()
    try expectClose(name)
    switch name {
    case "true": return true
    case "false": return false
    case "integer": return try number(text) { Int64($0).map(JSONValue.integer) }
    case "real": return try number(text) { Double($0).map(JSONValue.number) }
    case "data": return .string(text.filter { !$0.isWhitespace })
    default: return .string(text)
    }
  }

  private func number(_ text: String, _ convert: (Substring) -> JSONValue?) throws(PropertyListError) -> JSONValue {
    let parts = text.split(whereSeparator: \.isWhitespace)
    guard parts.count == 1, let value = convert(parts[0]) else { throw scanner.error("this is not a number") }
    return value
  }

  private mutating func elements(_ level: Int) throws(PropertyListError) -> [PropertyListElement] {
    var elements: [PropertyListElement] = []
    while true {
      let tag = try scanner.nextTag()
      if tag == .close("array") { return elements }
      elements.append(try element(after: tag, level: level + 1))
    }
  }

  private mutating func entries(_ level: Int) throws(PropertyListError) -> [PropertyListElement.Entry] {
    var entries: [PropertyListElement.Entry] = []
    var names: Set<String> = []
    while true {
      let tag = try scanner.nextTag()
      if tag == .close("dict") { return entries }
      guard tag == .open("key") else { throw scanner.error("<key> is missing") }
      let start = scanner.tag.lowerBound
      let name = try scanner.text()
      try expectClose("key")
      guard names.insert(name).inserted else { throw scanner.error("the key \(name) appears twice") }
      let key = start..<scanner.tag.upperBound
      let value = try element(after: try scanner.nextTag(), level: level + 1)
      entries.append(PropertyListElement.Entry(name: name, key: key, element: value))
    }
  }

  private mutating func expectClose(_ name: String) throws(PropertyListError) {
    guard try scanner.nextTag() == .close(name) else { throw scanner.error("</\(name)> is missing") }
  }
}
