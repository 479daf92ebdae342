/// The names that mark what managed apps hand to each other.
enum IntuneNames {
  private static let schemeSuffix = "-intunemam"
  private static let typePrefix = "com.microsoft.intune.mam."

  static func copy(ofScheme scheme: String) -> String { scheme + schemeSuffix }
  static func copy(ofType type: String) -> String { typePrefix + type }

  /// Schemes and types are the same in any case.
  static func isIntuneScheme(_ scheme: String) -> Bool { scheme.lowercased().hasSuffix(schemeSuffix) }
  static func isIntuneType(_ type: String) -> Bool { type.lowercased().hasPrefix(typePrefix) }

  /// Which of `copies` are not in `present`, each once.
  static func missing(_ copies: [String], in present: [String]) -> [String] {
    var known = Set(present.map { $0.lowercased() })
    return copies.filter { known.insert($0.lowercased()).inserted }
  }
}
