import JSON
import Model

extension SettingForm {
  /// The value that a command line's text stands for; nil when it stands for none.
  func value(of text: String) -> JSONValue? {
    switch self {
    case .bool: Self.bool(text).map(JSONValue.bool)
    case .number: (try? JSONValue(parsing: text)).flatMap(normalized)
    case .stringList: Self.list(text).flatMap(normalized)
    case .string, .color, .url: normalized(.string(text))
    }
  }

  private static func bool(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "true", "yes", "1": true
    case "false", "no", "0": false
    default: nil
    }
  }

  /// A JSON array, or elements between commas; an empty text is an empty list.
  private static func list(_ text: String) -> JSONValue? {
    if text.hasPrefix("[") { return try? JSONValue(parsing: text) }
    return .array(text.split(separator: ",").map { .string(String($0)) })
  }
}
