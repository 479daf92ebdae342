/// The kinds of text that an export replaces. This one table drives the search and the list in the archive's README.
enum SecretKind: String, CaseIterable, Sendable {
  case person, identifier, password, token, urlParameter, oneTimeCode, path
  case phoneNumber, networkAddress, hardwareAddress, iban, cardNumber

  /// The line in the README.
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

  /// Finds the end of a number or address that begins at `start`; `nil` if none does. Earlier kinds take precedence.
  static let shapes: [(kind: SecretKind, end: @Sendable (_ text: [UInt8], _ start: Int) -> Int?)] = [
    (.networkAddress, NetworkShapes.endOfAddress), (.hardwareAddress, NetworkShapes.endOfHardwareAddress),
    (.iban, NumberShapes.endOfIBAN), (.cardNumber, NumberShapes.endOfCard),
    (.oneTimeCode, NumberShapes.endOfCode), (.phoneNumber, NumberShapes.endOfPhone),
  ]
}
