import Model

/// What a PIN may look like.
package struct PINForm: Hashable, Sendable {
  var minimumLength = 1
  /// Nil where the policy says nothing of it.
  var characters: PINCharacterSet?
  var isSimpleBlocked = false

  /// In characters; so that nobody stretches a book.
  package static let maximumLength = 128

  /// The first rule that the PIN breaks; nil for none.
  package func fault(of pin: PINTraits) -> PINFault? {
    if let fault = characterFault(of: pin) { return fault }
    if pin.length < minimumLength { return .tooShort(minimumLength) }
    if pin.length > Self.maximumLength { return .tooLong }
    return isSimpleBlocked && pin.hasSimpleRun ? simpleFault : nil
  }

  private func characterFault(of pin: PINTraits) -> PINFault? {
    switch characters {
    case .numeric: pin.hasLetter || pin.hasSymbol ? .onlyDigitsAllowed : nil
    case .alphanumericAndSymbol where isSimpleBlocked:
      pin.hasDigit && pin.hasLetter && pin.hasSymbol ? nil : .needsAllClasses
    case .alphanumericAndSymbol: pin.hasLetter || pin.hasSymbol ? nil : .needsMoreThanDigits
    case nil: nil
    }
  }

  /// The rules in words, one sentence each.
  package var rules: [UserText] {
    var faults: [PINFault] = minimumLength > 1 ? [.tooShort(minimumLength)] : []
    if let fault = characterFault(of: characters == .numeric ? .letter : .nothing) { faults.append(fault) }
    if isSimpleBlocked { faults.append(simpleFault) }
    return faults.map(\.rule)
  }

  private var simpleFault: PINFault { characters == .alphanumericAndSymbol ? .simplePasscode : .simplePIN }

  /// Equal texts for equal forms.
  package var key: String { "\(minimumLength) \(characters?.rawValue ?? "any") \(isSimpleBlocked)" }
}

/// Why a PIN cannot be taken.
package enum PINFault: Hashable, Sendable {
  case tooShort(Int)
  case tooLong, onlyDigitsAllowed, needsMoreThanDigits, needsAllClasses, simplePIN, simplePasscode, usedBefore

  private var message: PINMessage {
    switch self {
    case .tooShort: .lengthRequired
    case .tooLong: .setError
    case .onlyDigitsAllowed: .onlyNumericAllowed
    case .needsMoreThanDigits: .numericNotAllowed
    case .needsAllClasses: .classesRequired
    case .simplePIN: .simplePIN
    case .simplePasscode: .simplePasscode
    case .usedBefore: .usedBefore
    }
  }

  /// One sentence.
  var rule: UserText {
    if case .tooShort(let minimum) = self { UserText(.pin(message), "\(minimum)") } else { UserText(.pin(message)) }
  }

  /// What to tell the user.
  package var text: UserText {
    message == .setError ? rule : UserText(.pin(.setError)).followed(by: rule)
  }
}
