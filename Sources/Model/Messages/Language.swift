/// A language in which users are told something, by its code in BCP 47.
public enum Language: String, CaseIterable, Sendable {
  case english = "en"
  case portuguese = "pt"
  case spanish = "es"
  case turkish = "tr"
  case italian = "it"
  case japanese = "ja"

  /// That of the user for whom this task runs; nil where nobody has told.
  @TaskLocal package static var ofCall: Language?

  /// Of a locale, as BCP 47 or POSIX write it: `pt-BR`, `pt_BR.UTF-8`, and `C` for English. Nil for another language.
  public init?(locale: String) {
    let language = locale.prefix { !"-_.@".contains($0) }.lowercased()
    guard !["c", "posix"].contains(language) else {
      self = .english
      return
    }
    self.init(rawValue: language)
  }

  /// Of a program's environment: the locale is LC_ALL, else LC_MESSAGES, else LANG, the first that is not empty. Unless
  /// that is C, POSIX or none, the list LANGUAGE comes before it, and the first language in it that is known counts.
  /// Else English.
  public init(environment: (String) -> String?) {
    let values = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(environment)
    guard let locale = values.first(where: { !$0.isEmpty }), !Self.isNeutral(locale) else {
      self = .english
      return
    }
    let list = (environment("LANGUAGE") ?? "").split(separator: ":").map(String.init)
    self = (list + [locale]).lazy.compactMap(Language.init(locale:)).first ?? .english
  }

  private static func isNeutral(_ locale: String) -> Bool {
    ["C", "POSIX"].contains(locale.prefix { $0 != "." })
  }

  /// Between two sentences.
  var sentenceSeparator: String { self == .japanese ? "" : " " }
}
