/// A language for messages to users, with its code in BCP 47.
package enum Language: String, CaseIterable, Sendable {
  case english = "en"
  case portuguese = "pt"
  case spanish = "es"
  case turkish = "tr"
  case italian = "it"
  case japanese = "ja"

  /// The language of a locale in BCP 47 or POSIX form: `pt-BR`, `pt_BR.UTF-8`, and `C` for English. `nil` for any
  /// other language.
  package init?(locale: String) {
    let language = locale.prefix { !"-_.@".contains($0) }.lowercased()
    guard !["c", "posix"].contains(language) else {
      self = .english
      return
    }
    self.init(rawValue: language)
  }

  /// The language of a program's environment. The locale is the first of LC_ALL, LC_MESSAGES and LANG that is not
  /// empty. Unless the locale is C, POSIX or missing, the languages in LANGUAGE come before it. The first known
  /// language counts; if none is known, the language is English.
  package init(environment: (String) -> String?) {
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

  /// The separator between two sentences.
  var sentenceSeparator: String { self == .japanese ? "" : " " }
}
