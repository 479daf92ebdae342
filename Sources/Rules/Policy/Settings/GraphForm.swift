import JSON
import Model

/// Reads and writes settings with Graph's names, words and numbers.
extension SettingDefinition {
  func read(graph value: JSONValue) -> SettingReading {
    if value.isNull || value == "" { return .unset }
    return switch type {
    case .bool: read(flag: value)
    case .integer(let range): read(integer: value, range)
    case .duration: read(duration: value)
    case .string: value.stringValue.map { .of(.string($0)) } ?? .misfit(value, "must be a string")
    case .word(let type): read(word: value, type)
    case .words(let type, let joined): read(words: value, type, joined: joined)
    case .version: read(version: value)
    case .strings(let separator, let mayBeEmpty): read(strings: value, separator, mayBeEmpty: mayBeEmpty)
    case .pairs: read(pairs: value)
    case .opaque: .of(.opaque(value))
    }
  }

  package func write(graph value: SettingValue) -> JSONValue {
    switch (value, type) {
    case (.bool(let flag), _): .bool(flag)
    case (.integer(let number), _): .integer(number)
    case (.duration(let duration), _): .string(duration.description)
    case (.string(let text), _), (.word(let text), _): .string(text)
    case (.words(let words), .words(_, joined: true)): .string(words.joined(separator: ","))
    case (.strings(let texts), .strings(let separator?, _)): .string(texts.joined(separator))
    case (.words(let texts), _), (.strings(let texts), _): .array(texts.map(JSONValue.string))
    case (.version(let version), _): .string(version.text)
    case (.pairs(let pairs), _): .array(pairs.map { ["name": .string($0.name), "value": .string($0.value)] })
    case (.opaque(let value), _): value
    }
  }

  private func read(duration value: JSONValue) -> SettingReading {
    guard let text = value.stringValue, let duration = ISODuration(text) else {
      return .misfit(value, "must be an ISO 8601 duration in days, hours, minutes and seconds, such as \"PT12H\"")
    }
    return .of(.duration(duration))
  }

  private func read(word value: JSONValue, _ type: any GraphEnum.Type) -> SettingReading {
    type.word(graph: value).map { .of(.word($0)) }
      ?? .misfit(value, "must be one of \(type.wordList), or Graph's number for one of these")
  }

  private func read(words value: JSONValue, _ type: any GraphEnum.Type, joined: Bool) -> SettingReading {
    if joined, let bits = value.intValue { return .words(type.words(graphBits: bits), of: value) }
    let parts: [JSONValue]
    if let elements = value.arrayValue {
      parts = elements
    } else if let text = value.stringValue {
      parts = text.split(separator: ",").map { .string($0.trimmedASCII) }
    } else {
      return .misfit(value, "must be a list of \(type.wordList)")
    }
    guard parts.allSatisfy({ $0.stringValue != nil || $0.integerValue != nil }) else {
      return .misfit(value, "must be a list of words, such as \"\(type.words[0])\"")
    }
    return .words(parts.map { ($0, type.word(graph: $0)) }, amongst: type)
  }

  private func read(strings value: JSONValue, _ separator: Character?, mayBeEmpty: Bool) -> SettingReading {
    if let separator, let text = value.stringValue { return .strings(text, separator, mayBeEmpty: mayBeEmpty) }
    guard let elements = value.arrayValue, case let texts = elements.compactMap(\.stringValue),
      texts.count == elements.count
    else { return .misfit(value, "must be a list of strings") }
    return .strings(texts, mayBeEmpty: mayBeEmpty)
  }

  private func read(pairs value: JSONValue) -> SettingReading {
    guard let elements = value.arrayValue, case let pairs = elements.compactMap(KeyValuePair.init(graph:)),
      pairs.count == elements.count
    else { return .misfit(value, "must be a list of objects with a name and a value") }
    return .of(.pairs(pairs))
  }
}

extension KeyValuePair {
  /// Reads a pair. A value that is a number or a boolean, as in handwritten files, becomes text; null becomes "".
  init?(graph value: JSONValue) {
    guard let name = value["name"]?.stringValue else { return nil }
    switch value["value"] ?? .null {
    case .string(let text): self.init(name: name, value: text)
    case .null: self.init(name: name, value: "")
    case let other where other.arrayValue == nil && other.objectValue == nil:
      self.init(name: name, value: other.jsonText)
    default: return nil
    }
  }
}

extension GraphEnum {
  /// Reads Graph's word in any ASCII case, or Graph's number, which may be text.
  package static func word(graph value: JSONValue) -> String? {
    if let text = value.stringValue, let word = word(text) { return word }
    return value.intValue.flatMap(word(graphNumber:))
  }

  static var wordList: String { words.joined(separator: ", ") }
}

extension JSONObject {
  /// Settings by Graph's names, sorted by name.
  init(graph settings: [SettingName: SettingValue]) {
    let written = settings.map { name, value in (name.rawValue, name.definition.write(graph: value)) }
    self.init(written.sorted { $0.0 < $1.0 })
  }
}
