import Model
import Support

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

/// What stands between a user and the account's data, as far as the PIN goes.
package enum PINDemand: Equatable, Sendable {
  case nothing, set, enter, change
  /// After too many wrong PINs.
  case signIn, wipe

  package init(_ rules: PINRules, on pin: (any PINRecord)?, isRecheckDue: Bool, at now: Timestamp) {
    guard let pin, pin.isSet else {
      self = .set
      return
    }
    if rules.isExhausted(pin) {
      self = rules.exhaustion == .wipe ? .wipe : .signIn
    } else if rules.mustChange(pin, at: now) {
      // Who changes it has just shown to know it.
      self = rules.isTypedLately(pin, at: now) ? .change : .enter
    } else {
      self = isRecheckDue && !rules.counts(pin, at: now) ? .enter : .nothing
    }
  }

  /// Nil where no answer helps, or none is needed.
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
  /// Those that only a PIN answers, or what replaces it.
  package static let pin: Set<Challenge.Kind> = [.setPIN, .enterPIN, .changePIN]
}

/// All that rules ask of a PIN, read in one pass: no copy of it is made.
package struct PINTraits: Equatable, Sendable {
  /// In Unicode scalars.
  private(set) var length = 0
  /// Of 0 to 9.
  private(set) var hasDigit = false
  private(set) var hasLetter = false
  /// Anything that is neither a digit nor a letter.
  private(set) var hasSymbol = false
  /// Whether three neighbors are the same, or digits or letters that follow each other up or down, in either case.
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

  /// The two characters before.
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
  /// The same for both cases of a letter.
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
