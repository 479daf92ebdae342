/// Any JSON value. Members of an object keep their order; integers are exact to 64 bits.
package indirect enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)
}

extension JSONValue {
  package var boolValue: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// Also accepts a number without a fraction, such as 5.0.
  package var integerValue: Int64? {
    switch self {
    case .integer(let value): value
    case .number(let value): Int64(exactly: value)
    default: nil
    }
  }

  package var numberValue: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  package var stringValue: String? {
    if case .string(let value) = self { value } else { nil }
  }

  package var arrayValue: [JSONValue]? {
    if case .array(let value) = self { value } else { nil }
  }

  /// `nil` if the value is not an array of strings.
  package var strings: [String]? {
    let texts = arrayValue?.compactMap(\.stringValue)
    return texts?.count == arrayValue?.count ? texts : nil
  }

  package var objectValue: JSONObject? {
    if case .object(let value) = self { value } else { nil }
  }

  package var isNull: Bool { self == .null }

  /// The member of an object; `nil` if this is not an object or has no such member.
  package subscript(name: String) -> JSONValue? { objectValue?[name] }

  /// The word for this kind of value in error messages.
  package var kind: String {
    switch self {
    case .null: "null"
    case .bool: "boolean"
    case .integer: "integer"
    case .number: "number"
    case .string: "string"
    case .array: "array"
    case .object: "object"
    }
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral, ExpressibleByFloatLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(integerLiteral value: Int64) { self = .integer(value) }
  package init(floatLiteral value: Double) { self = .number(value) }
  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(JSONObject(elements)) }
  package init(nilLiteral: ()) { self = .null }
}

extension JSONValue {
  /// Text for people and for files under version control: two spaces per level, short values on one line.
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

/// The members of a JSON object, in order. Setting an existing name replaces its value in place.
package struct JSONObject: Hashable, Sendable {
  package struct Member: Hashable, Sendable {
    package let name: String
    package var value: JSONValue
  }

  package private(set) var members: [Member] = []

  package init() {}

  package init(_ members: some Sequence<(String, JSONValue)>) {
    for (name, value) in members { self[name] = value }
  }

  /// The caller guarantees that all names differ.
  package init(unique members: [Member]) {
    self.members = members
  }

  package var count: Int { members.count }
  package var isEmpty: Bool { members.isEmpty }
  package var names: [String] { members.map(\.name) }

  package subscript(name: String) -> JSONValue? {
    get { members.first { $0.name == name }?.value }
    set {
      guard let index = members.firstIndex(where: { $0.name == name }) else {
        if let newValue { members.append(Member(name: name, value: newValue)) }
        return
      }
      if let newValue { members[index].value = newValue } else { members.remove(at: index) }
    }
  }

  /// Ignores the order of members.
  package static func == (left: JSONObject, right: JSONObject) -> Bool {
    left.count == right.count && left.members.allSatisfy { right[$0.name] == $0.value }
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(Set(names))
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}
