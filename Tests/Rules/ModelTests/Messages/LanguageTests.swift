import Testing

@testable import Model

@Suite struct LanguageTests {
  @Test(
    "A language is read from a locale in BCP 47 or POSIX form",
    arguments: [
      ("pt-BR", .portuguese), ("pt_PT.UTF-8", .portuguese), ("PT", .portuguese), ("es-419", .spanish),
      ("es_ES@euro", .spanish), ("tr", .turkish), ("it_CH.ISO-8859-1@euro", .italian),
      ("ja-JP-u-ca-japanese", .japanese), ("en-GB", .english), ("C", .english), ("C.UTF-8", .english),
      ("POSIX", .english), ("de-DE", nil), ("", nil), ("portuguese", nil), ("pt+BR", nil), ("j", nil),
    ] as [(String, Language?)])
  fileprivate func locales(_ locale: String, _ language: Language?) {
    #expect(Language(locale: locale) == language)
  }

  @Test(
    "LANGUAGE chooses the language before LC_ALL, LC_MESSAGES and LANG, but not in the C locale",
    arguments: [
      (["LANG": "it_IT.UTF-8"], .italian),
      (["LANG": "it_IT.UTF-8", "LC_MESSAGES": "tr_TR.UTF-8"], .turkish),
      (["LANG": "it_IT.UTF-8", "LC_MESSAGES": "tr_TR.UTF-8", "LC_ALL": "ja_JP.UTF-8"], .japanese),
      (["LANG": "it_IT.UTF-8", "LC_MESSAGES": "", "LC_ALL": ""], .italian),
      (["LANG": "de_DE.UTF-8"], .english),
      (["LANG": "de_DE.UTF-8", "LANGUAGE": "de:pt_BR:es"], .portuguese),
      (["LANG": "it_IT.UTF-8", "LANGUAGE": "fr:de"], .italian),
      (["LANG": "it_IT.UTF-8", "LANGUAGE": "en"], .english),
      (["LANG": "it_IT.UTF-8", "LC_ALL": "C.UTF-8", "LANGUAGE": "es"], .english),
      (["LANG": "POSIX", "LANGUAGE": "es"], .english),
      (["LANGUAGE": "es"], .english), ([:], .english),
    ] as [([String: String], Language)])
  fileprivate func environments(_ variables: [String: String], _ language: Language) {
    #expect(Language { variables[$0] } == language)
  }
}
