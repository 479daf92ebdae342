import Support

/// Words that announce what follows them, in the languages of hosts and their users.
enum SecretWords {
  /// A name that ends in one of these words has a secret value: `PIN`, `access_token`, `apiKey`, `Benutzerkennwort`.
  private static let secrets = WordList(endings: [
    "pin", "passcode", "password", "passwd", "pwd", "passphrase", "secret", "token", "key", "authorization",
    "credential", "credentials", "cookie", "kennwort", "passwort", "passwörter", "kennwörter", "geheimzahl",
    "contraseña", "contrasena", "contraseñas", "palavra passe", "parola d'ordine", "parola d’ordine", "mot de passe",
    "mots de passe", "motdepasse", "mdp", "senha", "senhas", "clave de acceso", "şifre", "şifresi", "şifreniz",
    "şifrem", "sifre", "parola", "parolası", "parolanız", "wachtwoord", "lösenord", "adgangskode", "hasło", "heslo",
    "пароль", "パスワード", "パスフレーズ", "暗証番号", "密码", "密碼", "口令", "비밀번호", "bearer", "basic",
  ])

  /// Words of languages without spaces: the value follows in the same run of letters.
  private static let joined = ["パスワード", "パスフレーズ", "暗証番号", "密码", "密碼", "口令", "비밀번호"].map {
    Array($0.utf8)
  }

  private static let links: Set = [
    "is", "was", "ist", "war", "lautet", "es", "era", "est", "é", "è", "は",
  ]

  private static let parameters = WordList(endings: [
    "sig", "signature", "sign", "token", "code", "key", "auth", "hmac", "secret", "password", "passwd", "pwd", "pass",
    "pin", "otp", "assertion", "samlresponse", "samlrequest", "ticket", "session", "sessionid", "sid", "jwt",
    "credential", "nonce", "state", "authorization", "verifier", "challenge", "signed", "hash", "digest",
  ])

  private static let codes = WordList(words: [
    "otp", "totp", "hotp", "tan", "mtan", "one time code", "onetime code", "one time password", "one time passcode",
    "verification code", "security code", "confirmation code", "login code", "access code", "authentication code",
    "auth code", "sms code", "user code", "device code", "2fa code", "mfa code", "verificationcode", "securitycode",
    "confirmationcode", "logincode", "accesscode", "usercode", "devicecode", "authcode", "onetimecode", "smscode",
    "bestätigungscode", "sicherheitscode", "einmalcode", "einmalkennwort", "zugangscode", "prüfcode", "anmeldecode",
    "código de verificación", "código de seguridad", "code de vérification", "code de sécurité", "code de confirmation",
    "codice di verifica", "codice di sicurezza", "código de verificação", "código de segurança", "doğrulama kodu",
    "güvenlik kodu", "onay kodu", "確認コード", "認証コード", "認証番号", "验证码", "驗證碼", "인증번호",
  ])
  private static let weakCodes = WordList(words: ["code", "codes", "código", "codice", "kodu", "コード"])
  /// Before an ambiguous word, these words show that the number is not a secret.
  private static let harmlessCodes = WordList(words: [
    "error", "status", "exit", "return", "result", "response", "http", "reason", "event", "country", "language",
    "currency", "area", "zip", "postal", "source", "byte", "machine", "product", "fehler", "d'erreur", "erreur",
    "de error", "di errore", "de erro", "hata", "エラー", "error code", "status code",
  ])
  private static let phones = WordList(words: [
    "tel", "phone", "telephone", "mobile", "cell", "fax", "whatsapp", "telefon", "mobil",
    "rufnummer", "telefonnummer", "teléfono", "móvil", "téléphone", "telefono", "cellulare", "telefone", "celular",
    "phone number", "phonenumber", "電話", "電話番号", "携帯",
  ])
  private static let versions = WordList(words: [
    "version", "versions", "ver", "v", "release", "build", "sdk", "versión", "versione", "versão", "sürüm", "バージョン",
    "os", "ios", "android", "kernel", "firmware", "revision",
  ])

  /// Whether the name that ends here has a secret value.
  static func isSecret(_ text: [UInt8], endingAt end: Int) -> Bool {
    secrets.mayEnd(text, at: end) && secrets.isAtEnd(of: FoldedText(text, before: end))
  }

  static func isSecret(name: String) -> Bool { isSecret(Array(name.utf8), endingAt: name.utf8.count) }

  /// Whether the URL parameter whose name ends here is a secret.
  static func isParameter(_ text: [UInt8], endingAt end: Int) -> Bool {
    parameters.isAtEnd(of: FoldedText(text, before: end))
  }

  /// Whether the word may be between a label and its value.
  static func isLink(_ word: ArraySlice<UInt8>) -> Bool {
    word.count < 16 && links.contains(String(decoding: word, as: UTF8.self).lowercased())
  }

  /// The start of the value in a word such as `パスワードはhunter2です`; `nil` if the word contains no value.
  static func valueStart(in word: ArraySlice<UInt8>) -> Int? {
    guard word.contains(where: { $0 >= 0xE3 }) else { return nil }
    guard let end = joined.compactMap({ word.end(ofFirst: $0) }).max(), end < word.endIndex else { return nil }
    let rest = word[end...]
    let isSigned = rest.count > 3 && wideSigns.contains { rest.starts(with: $0) }
    return isSigned || rest.contains(where: \.isAlphanumeric) || rest.hasWideDigit ? end : nil
  }

  /// Whether the word ends with the name of a secret and a full-width colon or equals sign.
  static func isSecret(_ text: [UInt8], withWideSignAtEndOf word: ArraySlice<UInt8>) -> Bool {
    wideSigns.contains { word.suffix(3).elementsEqual($0) } && isSecret(text, endingAt: word.endIndex - 3)
  }

  private static let wideSigns = ["：", "＝"].map { Array($0.utf8) }

  /// Whether words such as `is your code` follow: `123456 is your code`.
  static func isCode(_ text: [UInt8], endingAt end: Int) -> Bool {
    let next = String(decoding: text[end...].prefix(16), as: UTF8.self).lowercased()
    return owners.contains { next.hasPrefix($0) }
  }

  private static let owners = [
    " is your ", " ist ihr ", " ist dein ", " es tu ", " es su ", " est votre ", " est ton ", " è il tuo ",
    " é o seu ", " é seu ",
  ]

  /// How clearly the preceding words announce a code, apart from links and signs.
  static func isCode(_ text: [UInt8], at start: Int) -> Strength? {
    guard mayFollowWord(text, at: start) else { return nil }
    let before = FoldedText(text, before: start).withoutLinks(links)
    if codes.isAtEnd(of: before) { return .strong }
    guard let rest = weakCodes.withoutEnd(of: before) else { return nil }
    return harmlessCodes.isAtEnd(of: rest.withoutLinks([])) ? nil : .weak
  }

  enum Strength { case weak, strong }

  static func isPhone(_ text: [UInt8], at start: Int) -> Bool {
    mayFollowWord(text, at: start) && phones.isAtEnd(of: FoldedText(text, before: start).withoutLinks(links))
  }

  static func isVersion(_ text: [UInt8], at start: Int) -> Bool {
    mayFollowWord(text, at: start) && versions.isAtEnd(of: FoldedText(text, before: start).withoutLinks(links))
  }

  /// A fast check: false if a digit or nothing precedes the place, apart from signs.
  private static func mayFollowWord(_ text: [UInt8], at start: Int) -> Bool {
    let before = text[max(0, start - FoldedText.window)..<start].last { !signs.contains($0) }
    return before.map { $0.isLetter || $0 >= 0x80 } ?? false
  }

  private static let signs = Set(" \t:=\"'`#(\\.-_".utf8)
}

/// The end of a text in a form for comparing: lowercase, composed or not, with spaces for `-` and `_`.
struct FoldedText {
  fileprivate static let window = 72
  fileprivate let text: String

  init(_ bytes: [UInt8], before end: Int) {
    let part = bytes[max(0, end - Self.window)..<end]
    let folded = part.map { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") ? 0x20 : $0 }
    let lowercased = String(decoding: folded, as: UTF8.self).lowercased()
    // Lowercasing a Turkish İ leaves a combining dot.
    text =
      lowercased.unicodeScalars.contains("\u{307}")
      ? String(String.UnicodeScalarView(lowercased.unicodeScalars.filter { $0 != "\u{307}" })) : lowercased
  }

  fileprivate init(_ text: String) { self.text = text }

  /// Removes signs, quotes and words such as `is` from the end.
  fileprivate func withoutLinks(_ links: Set<String>) -> FoldedText {
    var rest = text[...]
    for _ in 0..<3 {
      while let last = rest.last, " \t:=\"'`#(\\：＝は.".contains(last) { rest.removeLast() }
      guard let link = rest.split(separator: " ").last, links.contains(String(link)), link.count < rest.count else {
        break
      }
      rest.removeLast(link.count)
    }
    return FoldedText(String(rest))
  }
}

/// Words to look for at the end of a text.
private struct WordList {
  private let ends: [Character: [String]]
  /// The last three bytes of each word, if they are ASCII.
  private let tails: Set<UInt32>
  private let areWhole: Bool

  /// Also matches the end of a longer word.
  init(endings: [String]) { self.init(endings, areWhole: false) }

  /// Does not match inside a longer word of letters.
  init(words: [String]) { self.init(words, areWhole: true) }

  private init(_ words: [String], areWhole: Bool) {
    ends = Dictionary(grouping: words) { $0.last ?? " " }
    tails = Set(words.compactMap { Array($0.utf8).tail })
    self.areWhole = areWhole
  }

  /// A fast check: false if no word of at least three letters can end here.
  func mayEnd(_ text: [UInt8], at end: Int) -> Bool {
    text[max(0, end - 3)..<end].tail.map(tails.contains) ?? (end >= 3)
  }

  func isAtEnd(of text: FoldedText) -> Bool { withoutEnd(of: text) != nil }

  /// The text before the word.
  func withoutEnd(of text: FoldedText) -> FoldedText? {
    guard let last = text.text.last, let words = ends[last] else { return nil }
    for word in words where text.text.hasSuffix(word) {
      let rest = text.text.dropLast(word.count)
      if areWhole, let before = rest.last, before.isLetter, before.isASCII { continue }
      return FoldedText(String(rest))
    }
    return nil
  }
}

extension BidirectionalCollection<UInt8> {
  /// The last three bytes in lowercase; `nil` unless they are ASCII.
  fileprivate var tail: UInt32? {
    let last = suffix(3)
    guard last.count == 3, last.allSatisfy({ $0 < 0x80 }) else { return nil }
    return last.reduce(0) { $0 << 8 | UInt32($1.lowercasedLetter) }
  }
}

extension ArraySlice<UInt8> {
  fileprivate func end(ofFirst needle: [UInt8]) -> Int? {
    guard let first = needle.first, count >= needle.count else { return nil }
    let starts = startIndex...(endIndex - needle.count)
    return starts.first { self[$0] == first && self[$0..<$0 + needle.count].elementsEqual(needle) }
      .map { $0 + needle.count }
  }

  /// Whether the text has a full-width digit, U+FF10 to U+FF19.
  fileprivate var hasWideDigit: Bool {
    zip(self, zip(dropFirst(), dropFirst(2))).contains { $0 == 0xEF && $1.0 == 0xBC && (0x90...0x99).contains($1.1) }
  }
}
