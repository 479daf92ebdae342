/// The kinds of text that an export replaces: the one table behind what is searched for and what the archive's README
/// says.
enum SecretKind: String, CaseIterable, Sendable {
  case person, identifier, password, token, urlParameter, oneTimeCode, path
  case phoneNumber, networkAddress, hardwareAddress, iban, cardNumber

  /// As the README lists it.
  var summary: String {
    switch self {
    case .person: "names of the accounts and users that mambridge knows, and mail addresses"
    case .identifier: "object ids (GUIDs), except those of policies"
    case .password:
      "a value after a word such as password, PIN, key or token, in English and the most common other languages"
    case .token: "tokens, keys and digests: long texts that nobody types by hand"
    case .urlParameter: "parameters of web addresses such as sig, token, code or key"
    case .oneTimeCode: "one-time codes of 4 to 8 digits beside a word such as code or OTP"
    case .path: "absolute paths, and relative ones that have a file extension, two slashes or a well-known folder"
    case .phoneNumber: "phone numbers in international or common national notation"
    case .networkAddress: "IP addresses, except loopback"
    case .hardwareAddress: "hardware addresses of network cards"
    case .iban: "bank accounts (IBAN with valid check digits)"
    case .cardNumber: "card numbers with a valid check digit"
    }
  }

  /// In `<user:3fa1c2d4>`; `nil` where `***` hides even which values are equal.
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

  /// What is found by its shape, at a place where a number or an address may begin: the end of it, or `nil`. Earlier
  /// shapes go first.
  static let shapes: [(kind: SecretKind, end: @Sendable (_ text: [UInt8], _ start: Int) -> Int?)] = [
    (.networkAddress, NetworkShapes.endOfAddress), (.hardwareAddress, NetworkShapes.endOfHardwareAddress),
    (.iban, NumberShapes.endOfIBAN), (.cardNumber, NumberShapes.endOfCard),
    (.oneTimeCode, NumberShapes.endOfCode), (.phoneNumber, NumberShapes.endOfPhone),
  ]
}
