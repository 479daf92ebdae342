/// The kinds of text that an export replaces.
enum SecretKind: String, CaseIterable, Sendable {
  case person, identifier, password, token, urlParameter, oneTimeCode, path
  case phoneNumber, networkAddress, hardwareAddress, iban, cardNumber

  /// The line in the archive's README.
  var summary: String {
    switch self {
    case .person: "names of the accounts and users that mambridge knows, and email addresses"
    case .identifier: "object ids (GUIDs), except those of policies"
    case .password:
      "values after a word such as password, PIN, key or token, in English and other common languages"
    case .token: "tokens, keys and digests: long texts that nobody would type by hand"
    case .urlParameter: "parameters of web addresses, such as sig, token, code or key"
    case .oneTimeCode: "one-time codes of 4 to 8 digits beside a word such as code or OTP"
    case .path: "absolute paths, and relative paths with a file extension, two slashes or a well-known folder"
    case .phoneNumber: "phone numbers in international or common national notation"
    case .networkAddress: "IP addresses, except loopback"
    case .hardwareAddress: "hardware addresses of network cards"
    case .iban: "bank accounts (IBAN with valid check digits)"
    case .cardNumber: "card numbers with a valid check digit"
    }
  }

  /// The label in a pseudonym such as `<user:3fa1c2d4>`; `nil` if `***` hides even which values are equal.
  var label: String? {
    switch self {
    case .person, .identifier: "user"
    case .token: "hidden"
    case .path: "path"
    case .phoneNumber: "phone"
    case .networkAddress, .hardwareAddress: "address"
    case .iban: "account"
    case .cardNumber: "card"
    case .password, .urlParameter, .oneTimeCode: nil
    }
  }
}

/// One way to find texts of a kind, with examples that a test tries.
struct SecretRule<Finder: Sendable>: Sendable {
  let kind: SecretKind
  /// A text that is replaced between « and ».
  let hides: String
  /// A similar text that stays as it is.
  let keeps: String
  let find: Finder
}

/// All rules, in three tables. In each table, earlier rules take precedence.
enum SecretRules {
  /// Finds a number or an address that begins where the reader is, and returns its end. Looks at a bounded piece of the
  /// text.
  typealias ShapeFinder = @Sendable (SecretReader) -> Int?
  /// Finds the part of a word to replace.
  typealias PartFinder = @Sendable (_ word: ArraySlice<UInt8>) -> Range<Int>?
  /// Whether a name in a text, with a sign behind it, has a secret value.
  typealias NameFinder = @Sendable (_ name: ArraySlice<UInt8>, _ text: [UInt8]) -> Bool

  static let shapes: [SecretRule<ShapeFinder>] = [
    SecretRule(
      kind: .networkAddress, hides: "from «203.0.113.7»", keeps: "version 203.0.113.7",
      find: NetworkShapes.endOfAddress),
    SecretRule(
      kind: .hardwareAddress, hides: "on «00:1A:2b:3c:4d:5e»", keeps: "00:1A:2b",
      find: NetworkShapes.endOfHardwareAddress
    ),
    SecretRule(
      kind: .iban, hides: "to «DE89 3704 0044 0532 0130 00»", keeps: "DE88 3704 0044", find: NumberShapes.endOfIBAN),
    SecretRule(
      kind: .cardNumber, hides: "with «4111 1111 1111 1111»", keeps: "with 4111 1111 1111 1112",
      find: NumberShapes.endOfCard),
    SecretRule(
      kind: .oneTimeCode, hides: "your code is «123456»", keeps: "error code 123456", find: NumberShapes.endOfCode),
    SecretRule(
      kind: .phoneNumber, hides: "call «+49 30 1234567»", keeps: "error -25300", find: NumberShapes.endOfPhone),
  ]

  static let parts: [SecretRule<PartFinder>] = [
    SecretRule(
      kind: .person, hides: "by «eve@home.example»", keeps: "3 @ 5 euros", find: { $0.whole(if: $0.isMailAddress) }),
    SecretRule(
      kind: .path, hides: "in «/home/eve»", keeps: "a / b", find: { $0.whole(if: $0.isPath) }),
    SecretRule(
      kind: .identifier, hides: "id «87d349ed-44d7-43e1-9a83-5f2406dee5bd»", keeps: "id 87d349ed-44d7",
      find: { $0.firstGUID }),
    SecretRule(
      kind: .path, hides: "saved «docs/plan.txt»", keeps: "application/json",
      find: { $0.whole(if: $0.isPath || $0.isRelativePath) }),
    SecretRule(
      kind: .token, hides: "got «Z3JlZW4gZWdncyBhbmQgaGFtIDEyMzQ1Njc4OQ»", keeps: "got 0123456789abcdef",
      find: { $0.whole(if: $0.isOpaque) }),
  ]

  static let names: [SecretRule<NameFinder>] = [
    SecretRule(
      kind: .urlParameter, hides: "https://x.example/a?code=«M.R3_BAY»", keeps: "https://x.example/a?page=2",
      find: { name, text in
        name.isURLParameter && SecretWords.isParameter(text, endingAt: name.endIndex)
      }),
    SecretRule(
      kind: .password, hides: "Kennwort=«geheim»", keeps: "Kennwort ist erforderlich",
      find: { name, text in
        !name.isURLParameter && SecretWords.isSecret(text, endingAt: name.endOfName)
      }),
  ]
}

extension ArraySlice<UInt8> {
  fileprivate func whole(if fits: Bool) -> Range<Int>? { fits ? indices : nil }

  /// Whether `?` or `&` is in it, so that it is the name of a parameter.
  fileprivate var isURLParameter: Bool { contains { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "&") } }
}
