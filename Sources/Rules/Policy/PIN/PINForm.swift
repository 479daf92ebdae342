import Model
import Support

/// The rules for the characters of a PIN.
package struct PINForm: Hashable, Sendable {
  var minimumLength = 1
  /// Nil if the policy does not restrict the characters.
  var characters: PINCharacterSet?
  var isSimpleBlocked = false

  /// In characters. Limits the work of deriving a key from the PIN.
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

  /// The rules as messages, one sentence each.
  package var rules: [UserText] {
    var faults: [PINFault] = minimumLength > 1 ? [.tooShort(minimumLength)] : []
    if let fault = characterFault(of: characters == .numeric ? .letter : .nothing) { faults.append(fault) }
    if isSimpleBlocked { faults.append(simpleFault) }
    return faults.map(\.rule)
  }

  private var simpleFault: PINFault { characters == .alphanumericAndSymbol ? .simplePasscode : .simplePIN }

  /// Equal forms have equal keys.
  package var key: String { "\(minimumLength) \(characters?.rawValue ?? "any") \(isSimpleBlocked)" }
}

/// Why a PIN is not accepted.
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

  /// The rule that the PIN breaks, as one sentence.
  var rule: UserText {
    if case .tooShort(let minimum) = self { UserText(.pin(message), "\(minimum)") } else { UserText(.pin(message)) }
  }

  /// The message to the user.
  package var text: UserText {
    message == .setError ? rule : UserText(.pin(.setError)).followed(by: rule)
  }
}

/// What the PIN rules require before the account's data is shown.
package enum PINDemand: Equatable, Sendable {
  case nothing, set, enter, change
  /// The consequences of too many wrong PINs.
  case signIn, wipe

  package init(_ rules: PINRules, on pin: (any PINRecord)?, isRecheckDue: Bool, at now: Timestamp) {
    guard let pin, pin.isSet else {
      self = .set
      return
    }
    if rules.isExhausted(pin) {
      self = rules.exhaustion == .wipe ? .wipe : .signIn
    } else if rules.mustChange(pin, at: now) {
      // The user must have entered the old PIN recently to change it.
      self = rules.isTypedLately(pin, at: now) ? .change : .enter
    } else {
      self = isRecheckDue && !rules.counts(pin, at: now) ? .enter : .nothing
    }
  }

  /// The challenge to the user; nil if none is needed or none helps.
  package var kind: Challenge.Kind? {
    switch self {
    case .nothing, .wipe: nil
    case .set: .setPIN
    case .enter: .enterPIN
    case .change: .changePIN
    case .signIn: .credentials
    }
  }
}

extension Challenge.Kind {
  /// The challenges that a PIN, or biometrics in its place, answers.
  package static let pin: Set<Challenge.Kind> = [.setPIN, .enterPIN, .changePIN]
}

/// What the rules need to know about a PIN. It is read in one pass, without a copy of the PIN.
package struct PINTraits: Equatable, Sendable {
  /// The length in Unicode scalars.
  private(set) var length = 0
  /// Whether the PIN has a digit from 0 to 9.
  private(set) var hasDigit = false
  private(set) var hasLetter = false
  /// Whether the PIN has a character that is neither a digit nor a letter.
  private(set) var hasSymbol = false
  /// Whether three neighboring characters are equal, or are digits or letters in ascending or descending sequence. Upper
  /// and lower case count as equal.
  private(set) var hasSimpleRun = false

  static let nothing = PINTraits()
  static let letter = PINTraits(hasLetter: true)

  private init(hasLetter: Bool = false) {
    self.hasLetter = hasLetter
  }

  package init(utf8 bytes: UnsafeRawBufferPointer) {
    var window = Window()
    var decoder = UTF8()
    var rest = bytes.makeIterator()
    while case .scalarValue(let scalar) = decoder.decode(&rest) { add(scalar, &window) }
  }

  /// The two preceding characters.
  private struct Window {
    var first: PINCharacter?
    var second: PINCharacter?
  }

  private mutating func add(_ scalar: Unicode.Scalar, _ window: inout Window) {
    let character = PINCharacter(scalar)
    length += 1
    switch character.kind {
    case .digit: hasDigit = true
    case .letter: hasLetter = true
    case .symbol: hasSymbol = true
    }
    if let first = window.first, let second = window.second, character.endsSimpleRun(first, second) {
      hasSimpleRun = true
    }
    window = Window(first: window.second, second: character)
  }
}

private struct PINCharacter: Equatable {
  enum Kind { case digit, letter, symbol }

  package let kind: Kind
  /// Equal for the upper and lower case of an ASCII letter.
  let value: UInt32

  init(_ scalar: Unicode.Scalar) {
    let isLetter = scalar.properties.isAlphabetic
    kind = ("0"..."9").contains(scalar) ? .digit : isLetter ? .letter : .symbol
    value = scalar.isASCII && isLetter ? scalar.value | 0x20 : scalar.value
  }

  func endsSimpleRun(_ first: Self, _ second: Self) -> Bool {
    if first == second { return second == self }
    guard kind != .symbol, first.kind == kind, second.kind == kind else { return false }
    let steps = (Int64(second.value) - Int64(first.value), Int64(value) - Int64(second.value))
    return steps == (1, 1) || steps == (-1, -1)
  }
}
