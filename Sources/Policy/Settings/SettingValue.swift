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

/// What reading a member of a policy gave. No value and no complaint: the member is null or empty, which is unset.
public struct SettingReading: Hashable, Sendable {
  public var value: SettingValue?
  /// Why the member, or a part of it, does not fit.
  public var complaint: String?

  static let unset = SettingReading()

  static func of(_ value: SettingValue) -> SettingReading { SettingReading(value: value) }
  static func misfit(_ complaint: String) -> SettingReading { SettingReading(complaint: complaint) }
}

/// What both vocabularies read alike.
extension SettingDefinition {
  /// Also 0 and 1 and, as real files have them, words.
  func read(flag value: JSONValue) -> SettingReading {
    if let flag = value.boolValue { return .of(.bool(flag)) }
    if let number = value.intValue, number == 0 || number == 1 { return .of(.bool(number == 1)) }
    return switch value.stringValue?.lowercasedASCII {
    case "true", "yes": .of(.bool(true))
    case "false", "no": .of(.bool(false))
    default: .misfit("must be true or false")
    }
  }

  func read(integer value: JSONValue, _ range: ClosedRange<Int64>) -> SettingReading {
    guard let number = value.intValue, range.contains(Int64(number)) else {
      return .misfit("must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return .of(.integer(Int64(number)))
  }

  /// All zeros stand for no rule.
  func read(version value: JSONValue) -> SettingReading {
    guard let text = value.stringValue, let version = VersionNumber(text) else {
      return .misfit("must be a version such as \"14.8\"")
    }
    return version.isZero ? .unset : .of(.version(version))
  }
}

extension SettingReading {
  package static func words(_ found: (words: [String], isComplete: Bool)) -> SettingReading {
    SettingReading(
      value: .words(found.words), complaint: found.isComplete ? nil : "has bits that are not known")
  }

  /// What is no word is left out; a word counts once.
  package static func words(_ parts: [(JSONValue, String?)]) -> SettingReading {
    var words: [String] = []
    for word in parts.compactMap(\.1) where !words.contains(word) { words.append(word) }
    let unknown = parts.filter { $0.1 == nil }.map(\.0.jsonText)
    let complaint = unknown.isEmpty ? nil : "has what is not known: \(unknown.joined(separator: ", "))"
    return SettingReading(value: .words(words), complaint: complaint)
  }

  /// Nothing but a separator is an empty list, which policies that have nothing in common come to.
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
  /// As `SettingReading.strings` reads it.
  func joined(_ separator: Character) -> String {
    isEmpty ? String(separator) : joined(separator: String(separator))
  }
}

extension JSONValue {
  /// A whole number, also as text.
  package var intValue: Int? {
    if let number = integerValue { return Int(exactly: number) }
    return stringValue.flatMap { Int($0) }
  }
}
