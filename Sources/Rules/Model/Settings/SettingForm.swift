import JSON

/// The type of a setting's value.
package enum SettingForm: String, CaseIterable, Sendable, NamedValue {
  case bool, number, string, stringList, color, url, sdkLevel, strictMode

  package var expectation: String {
    switch self {
    case .bool: "true or false"
    case .number: "a number"
    case .string: "a string"
    case .stringList: "an array of strings"
    case .color: "a color as six hexadecimal digits, with or without #"
    case .url: "a URI with a scheme"
    case .sdkLevel: SDKLevel.list
    case .strictMode: StrictHandling.list
    }
  }

  /// An example of a value, for error texts.
  package var example: String {
    switch self {
    case .bool: "true or false in JSON, <true/> or <false/> in a plist"
    case .number: "1.5 in JSON, <real>1.5</real> in a plist"
    case .string: "\"text\" in JSON, <string>text</string> in a plist"
    case .stringList: "[\"a\", \"b\"] in JSON, <array> with <string> elements in a plist"
    case .color: "\"#1A2B3C\""
    case .url: "\"https://login.example/common\""
    case .sdkLevel: "21 in JSON, <integer>21</integer> in a plist"
    case .strictMode: "\"report\" in JSON, <string>report</string> in a plist"
    }
  }

  /// The value as it is stored; `nil` if it has another type. Colors get a # and capital digits, and a level becomes
  /// an integer.
  package func normalized(_ value: JSONValue) -> JSONValue? {
    switch (self, value) {
    case (.bool, .bool), (.string, .string), (.number, .integer), (.number, .number): value
    case (.stringList, .array(let elements)): elements.allSatisfy { $0.stringValue != nil } ? value : .none
    case (.color, .string(let text)): Self.color(text).map(JSONValue.string)
    case (.url, .string(let text)): Self.hasScheme(text) ? value : .none
    case (.sdkLevel, _): SDKLevel(value).map { .integer(Int64($0.rawValue)) }
    case (.strictMode, .string(let text)): StrictHandling(rawValue: text) == nil ? .none : value
    default: .none
    }
  }

  func schema(in components: inout SchemaComponents) -> JSONValue {
    switch self {
    case .bool: ["type": "boolean"]
    case .number: ["type": "number"]
    case .string: ["type": "string"]
    case .stringList: ["type": "array", "items": ["type": "string"]]
    case .color: ["type": "string", "pattern": "^#?[0-9A-Fa-f]{6}$"]
    case .url: ["type": "string", "format": "uri"]
    case .sdkLevel: SDKLevel.schema(in: &components)
    case .strictMode: StrictHandling.schema(in: &components)
    }
  }

  private static func color(_ text: String) -> String? {
    let digits = text.hasPrefix("#") ? text.dropFirst() : text[...]
    guard digits.utf8.count == 6, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return nil }
    return "#" + digits.uppercased()
  }

  private static func hasScheme(_ text: String) -> Bool {
    guard let colon = text.firstIndex(of: ":"), let first = text.first, first.isASCII, first.isLetter else {
      return false
    }
    let marks: Set<Character> = ["+", "-", "."]
    return !text.contains(where: \.isWhitespace)
      && text[..<colon].allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || marks.contains($0)) }
  }
}
