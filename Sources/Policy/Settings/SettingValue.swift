import JSON
import Model

/// The typed value of a setting. Which case it is follows from the setting's type.
public enum SettingValue: Hashable, Sendable {
  case bool(Bool)
  case integer(Int64)
  case duration(ISODuration)
  case string(String)
  /// Graph's word.
  case word(String)
  case words([String])
  case version(VersionNumber)
  case strings([String])
  case pairs([KeyValuePair])
  case opaque(JSONValue)
}

extension SettingValue {
  public var boolValue: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  public var integerValue: Int64? {
    if case .integer(let value) = self { value } else { nil }
  }

  public var durationValue: ISODuration? {
    if case .duration(let value) = self { value } else { nil }
  }

  public var stringValue: String? {
    if case .string(let value) = self { value } else { nil }
  }

  public var versionValue: VersionNumber? {
    if case .version(let value) = self { value } else { nil }
  }

  public var stringsValue: [String]? {
    if case .strings(let value) = self { value } else { nil }
  }

  public var pairsValue: [KeyValuePair]? {
    if case .pairs(let value) = self { value } else { nil }
  }

  /// The case of an enumeration; nil for another kind of value or another enumeration's word.
  public func word<Word: GraphEnum>(_ type: Word.Type = Word.self) -> Word? {
    if case .word(let value) = self { Word(rawValue: value) } else { nil }
  }

  public func words<Word: GraphEnum>(_ type: Word.Type = Word.self) -> [Word]? {
    if case .words(let values) = self { values.compactMap(Word.init(rawValue:)) } else { nil }
  }
}
