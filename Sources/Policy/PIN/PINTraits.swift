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
