import Model

extension AppConfig {
  package func bools(_ key: String) -> [Bool] { strings(key).compactMap(Bool.init(configured:)) }

  package func numbers(_ key: String) -> [ConfigNumber] { strings(key).compactMap(ConfigNumber.init) }

  /// Nil when no value reads as a boolean.
  package func bool(_ key: String, _ query: BoolQueryType) -> Bool? {
    let found = bools(key)
    guard let first = found.first else { return nil }
    return switch query {
    case .any: first
    case .or: found.contains(true)
    case .and: !found.contains(false)
    }
  }

  /// Nil when no value reads as a number.
  package func number(_ key: String, _ query: NumberQueryType) -> ConfigNumber? {
    let found = numbers(key)
    return switch query {
    case .any: found.first
    case .min: found.min()
    case .max: found.max()
    }
  }

  /// Compares by UTF-8 bytes.
  package func string(_ key: String, _ query: StringQueryType) -> String? {
    let found = strings(key)
    func precedes(_ left: String, _ right: String) -> Bool { left.utf8.lexicographicallyPrecedes(right.utf8) }
    return switch query {
    case .any: found.first
    case .min: found.min(by: precedes)
    case .max: found.max(by: precedes)
    }
  }
}

extension Bool {
  init?(configured text: String) {
    switch text.trimmedASCII.lowercasedASCII {
    case "true", "1", "yes": self = true
    case "false", "0", "no": self = false
    default: return nil
    }
  }
}
