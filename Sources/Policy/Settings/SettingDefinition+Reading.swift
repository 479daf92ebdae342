import JSON
import Model

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
  static func strings(_ text: String, _ separator: Character, of name: SettingName) -> SettingReading {
    if text == String(separator) { return .of(.strings([])) }
    return strings(text.split(separator: separator).map(String.init), of: name)
  }

  /// Trims each text; an empty list of what is allowed is unset, because it would forbid everything.
  static func strings(_ texts: [String], of name: SettingName) -> SettingReading {
    let texts = texts.map(\.trimmedASCII).filter { !$0.isEmpty }
    return texts.isEmpty && !name.mayBeEmpty ? .unset : .of(.strings(texts))
  }
}

extension [String] {
  /// As `SettingReading.strings` reads it.
  func joined(_ separator: Character) -> String {
    isEmpty ? String(separator) : joined(separator: String(separator))
  }
}

extension SettingName {
  fileprivate var mayBeEmpty: Bool { self == .managedUniversalLinks || self == .exemptedUniversalLinks }
}

extension JSONValue {
  /// A whole number, also as text.
  package var intValue: Int? {
    if let number = integerValue { return Int(exactly: number) }
    return stringValue.flatMap { Int($0) }
  }
}
