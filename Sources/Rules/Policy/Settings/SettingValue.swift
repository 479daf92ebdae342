import JSON
import Model

/// The typed value of a setting. The setting's type determines the case.
package enum SettingValue: Hashable, Sendable {
  case bool(Bool)
  case integer(Int64)
  case duration(ISODuration)
  case string(String)
  /// Graph's word of an enumeration.
  case word(String)
  case words([String])
  case version(VersionNumber)
  case strings([String])
  case pairs([KeyValuePair])
  case opaque(JSONValue)
}

extension SettingValue {
  package var boolValue: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  package var integerValue: Int64? {
    if case .integer(let value) = self { value } else { nil }
  }

  package var durationValue: ISODuration? {
    if case .duration(let value) = self { value } else { nil }
  }

  package var stringValue: String? {
    if case .string(let value) = self { value } else { nil }
  }

  package var versionValue: VersionNumber? {
    if case .version(let value) = self { value } else { nil }
  }

  package var stringsValue: [String]? {
    if case .strings(let value) = self { value } else { nil }
  }

  package var pairsValue: [KeyValuePair]? {
    if case .pairs(let value) = self { value } else { nil }
  }

  /// The case of an enumeration; nil for another kind of value or a word of another enumeration.
  package func word<Word: GraphEnum>(_ type: Word.Type = Word.self) -> Word? {
    if case .word(let value) = self { Word(rawValue: value) } else { nil }
  }

  package func words<Word: GraphEnum>(_ type: Word.Type = Word.self) -> [Word]? {
    if case .words(let values) = self { values.compactMap(Word.init(rawValue:)) } else { nil }
  }
}

/// The result of reading a member of a policy. Without a value and a complaint, the member is null or empty: not set.
package struct SettingReading: Hashable, Sendable {
  package var value: SettingValue?
  /// Why the member, or a part of it, does not fit: a predicate, such as "must be true or false, not 7".
  package var complaint: String?

  static let unset = SettingReading()

  static func of(_ value: SettingValue) -> SettingReading { SettingReading(value: value) }
  static func misfit(_ value: JSONValue, _ rule: String) -> SettingReading {
    SettingReading(complaint: "\(rule), not \(value.shortText)")
  }
}

/// Reads what has the same form in Graph and in the SDK.
extension SettingDefinition {
  /// Reads true and false, 0 and 1, and the words that occur in real files.
  func read(flag value: JSONValue) -> SettingReading {
    value.spelledFlag.map { .of(.bool($0)) } ?? .misfit(value, "must be true or false")
  }

  func read(integer value: JSONValue, _ range: ClosedRange<Int64>) -> SettingReading {
    guard let number = value.intValue, range.contains(Int64(number)) else {
      return .misfit(value, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return .of(.integer(Int64(number)))
  }

  /// A version of zeros only means that the setting is not set.
  func read(version value: JSONValue) -> SettingReading {
    guard let text = value.stringValue, let version = VersionNumber(text) else {
      return .misfit(value, "must be a version such as \"14.8\"")
    }
    return version.isZero ? .unset : .of(.version(version))
  }
}

extension SettingReading {
  package static func words(_ found: (words: [String], isComplete: Bool), of bits: JSONValue) -> SettingReading {
    SettingReading(
      value: .words(found.words),
      complaint: found.isComplete ? nil : "must be a sum of known bits, not \(bits.shortText)")
  }

  /// Unknown words are left out, repeated words count once.
  package static func words(_ parts: [(JSONValue, String?)], amongst type: any GraphEnum.Type) -> SettingReading {
    var words: [String] = []
    for word in parts.compactMap(\.1) where !words.contains(word) { words.append(word) }
    let unknown = parts.filter { $0.1 == nil }.map(\.0.jsonText)
    if unknown.isEmpty { return .of(.words(words)) }
    let complaint = "must contain only \(type.wordList), not \(unknown.joined(separator: ", "))"
    return SettingReading(value: .words(words), complaint: complaint)
  }

  /// A separator alone is an empty list, which results from merging policies that have nothing in common.
  static func strings(_ text: String, _ separator: Character, mayBeEmpty: Bool) -> SettingReading {
    if text == String(separator) { return .of(.strings([])) }
    return strings(text.split(separator: separator).map(String.init), mayBeEmpty: mayBeEmpty)
  }

  /// Trims each text.
  static func strings(_ texts: [String], mayBeEmpty: Bool) -> SettingReading {
    let texts = texts.map(\.trimmedASCII).filter { !$0.isEmpty }
    return texts.isEmpty && !mayBeEmpty ? .unset : .of(.strings(texts))
  }
}

extension [String] {
  /// The text that `SettingReading.strings` reads back.
  func joined(_ separator: Character) -> String {
    isEmpty ? String(separator) : joined(separator: String(separator))
  }
}

extension JSONValue {
  /// A whole number, which may be text.
  package var intValue: Int? {
    if let number = integerValue { return Int(exactly: number) }
    return stringValue.flatMap { Int($0) }
  }
}

extension JSONValue {
  /// A truth value as Graph, a device or a person writes it.
  package var spelledFlag: Bool? {
    if let flag = boolValue { return flag }
    switch stringValue?.lowercasedASCII ?? intValue.map(String.init) {
    case "true", "yes", "1": return true
    case "false", "no", "0": return false
    default: return nil
    }
  }
}
