import JSON

/// The XML form of a property list. FoundationEssentials has a reader, but it names no line, takes a repeated key and
/// ends the process when elements nest deeply.
struct XMLPropertyList {
  private static let nestingLimit = 64
  private var scanner: XMLScanner

  static func parse(_ text: [UInt8]) throws(PropertyListError) -> JSONValue {
    var list = XMLPropertyList(scanner: XMLScanner(text))
    return try list.document()
  }

  private mutating func document() throws(PropertyListError) -> JSONValue {
    guard case .open("plist") = try scanner.nextTag() else { throw scanner.error("<plist> is missing") }
    let value = try value(after: try scanner.nextTag(), level: 0)
    try expectClose("plist")
    return value
  }

  private mutating func value(after tag: XMLScanner.Tag, level: Int) throws(PropertyListError) -> JSONValue {
    guard level < Self.nestingLimit else { throw scanner.error("nested too deeply") }
    switch tag {
    case .empty("true"): return true
    case .empty("false"): return false
    case .empty("string"), .empty("data"): return ""
    case .empty("array"): return []
    case .empty("dict"): return [:]
    case .open("array"): return try array(level)
    case .open("dict"): return try dictionary(level)
    case .open(let name): return try leaf(name)
    case .empty(let name): throw scanner.error("<\(name)/> is no value of a property list")
    case .close(let name): throw scanner.error("</\(name)> where a value was expected")
    }
  }

  private mutating func leaf(_ name: String) throws(PropertyListError) -> JSONValue {
    guard ["string", "integer", "real", "date", "data", "true", "false"].contains(name) else {
      throw scanner.error("<\(name)> is no value of a property list")
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
    guard parts.count == 1, let value = convert(parts[0]) else { throw scanner.error("this is no number") }
    return value
  }

  private mutating func array(_ level: Int) throws(PropertyListError) -> JSONValue {
    var elements: [JSONValue] = []
    while true {
      let tag = try scanner.nextTag()
      if tag == .close("array") { return .array(elements) }
      elements.append(try value(after: tag, level: level + 1))
    }
  }

  private mutating func dictionary(_ level: Int) throws(PropertyListError) -> JSONValue {
    var object = JSONObject()
    while true {
      let tag = try scanner.nextTag()
      if tag == .close("dict") { return .object(object) }
      guard tag == .open("key") else { throw scanner.error("<key> is missing") }
      let name = try scanner.text()
      try expectClose("key")
      guard object[name] == nil else { throw scanner.error("the key \(name) stands twice") }
      object[name] = try value(after: try scanner.nextTag(), level: level + 1)
    }
  }

  private mutating func expectClose(_ name: String) throws(PropertyListError) {
    guard try scanner.nextTag() == .close(name) else { throw scanner.error("</\(name)> is missing") }
  }
}
