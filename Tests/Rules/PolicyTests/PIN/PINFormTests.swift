import TestSupport
import Testing

@testable import Model
@testable import Policy

@Suite("Form of a PIN", .timeLimit(.minutes(5))) struct PINFormTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let policy: String
    let pin: String
    let fault: PINFault?
    var testDescription: String { "\(policy): \(pin)" }

    init(_ policy: String, _ pin: String, _ fault: PINFault?) {
      (self.policy, self.pin, self.fault) = (policy, pin, fault)
    }
  }

  private static let numeric = #""pinCharacterSet": "numeric", "minimumPinLength": 4"#
  private static let numericHard = numeric + #", "simplePinBlocked": true"#
  private static let passcode = #""pinCharacterSet": "alphanumericAndSymbol", "minimumPinLength": 4"#
  private static let passcodeHard = passcode + #", "simplePinBlocked": true"#

  static let cases: [Case] = [
    Case("", "", .tooShort(1)), Case("", "a", nil), Case("", "1111", nil),
    Case(#""simplePinBlocked": true"#, "abcd", .simplePIN),
    Case("", String(repeating: "19", count: 64), nil), Case("", String(repeating: "19", count: 65), .tooLong),

    Case(numeric, "1234", nil), Case(numeric, "1111", nil), Case(numeric, "123", .tooShort(4)),
    Case(numeric, "", .tooShort(4)), Case(numeric, "12a4", .onlyDigitsAllowed),
    Case(numeric, "12 4", .onlyDigitsAllowed), Case(numeric, "1２34", .onlyDigitsAllowed),
    Case(#""minimumPinLength": 6, "pinCharacterSet": "numeric""#, "12345", .tooShort(6)),

    Case(numericHard, "1234", .simplePIN), Case(numericHard, "1111", .simplePIN),
    Case(numericHard, "1235", .simplePIN), Case(numericHard, "1112", .simplePIN), Case(numericHard, "1122", nil),
    Case(numericHard, "4321", .simplePIN), Case(numericHard, "9012", .simplePIN), Case(numericHard, "8901", nil),
    Case(numericHard, "1357", nil), Case(numericHard, "2580", nil), Case(numericHard, "121212", nil),

    Case(passcode, "1234", .needsMoreThanDigits), Case(passcode, "123a", nil), Case(passcode, "123!", nil),
    Case(passcode, "abcd", nil), Case(passcode, "!!!!", nil), Case(passcode, "ab", .tooShort(4)),

    Case(passcodeHard, "ab1!", nil), Case(passcodeHard, "é1!a", nil), Case(passcodeHard, "1a2b", .needsAllClasses),
    Case(passcodeHard, "abcd", .needsAllClasses), Case(passcodeHard, "1!2!", .needsAllClasses),
    Case(passcodeHard, "abc1!", .simplePasscode), Case(passcodeHard, "aBc1!", .simplePasscode),
    Case(passcodeHard, "cba1!", .simplePasscode), Case(passcodeHard, "aaa1!", .simplePasscode),
    Case(passcodeHard, "!!!a1", .simplePasscode), Case(passcodeHard, "123a!", .simplePasscode),
    Case(passcodeHard, "!\"#a1", nil),
  ]

  @Test("A PIN is accepted, or refused because of the first form rule that it breaks", arguments: cases)
  func table(_ test: Case) throws {
    let rules = try PINRules.of(test.policy)
    let fault = rules.form.fault(of: PINTraits(test.pin))
    #expect(fault == test.fault)
    guard let fault else { return }
    let text = fault.text.text(in: .english)
    #expect(!text.contains("#"))
    #expect(test.pin.isEmpty || !text.contains(test.pin))
  }

  @Test("A PIN has a simple run if three adjacent characters are equal, ascending or descending")
  func windows() throws {
    var generator = SeededGenerator(state: 2580)
    let alphabet = Array("0123789abcxyzABC!\"#")
    var found = [true: 0, false: 0]
    for _ in 0..<20_000 {
      let length = Int.random(in: 0...6, using: &generator)
      let text = String((0..<length).map { _ in alphabet.randomElement(using: &generator) ?? "a" })
      let isSimple = Self.isSimple(text)
      found[isSimple, default: 0] += 1
      #expect(PINTraits(text).hasSimpleRun == isSimple, "\(text)")
    }
    #expect(found[true, default: 0] > 100)
    #expect(found[false, default: 0] > 100)
  }

  /// By looking the neighbors up in the lines that people type.
  private static func isSimple(_ text: String) -> Bool {
    let lines = ["0123456789", "abcdefghijklmnopqrstuvwxyz"]
    let characters = Array(text.lowercased())
    return characters.indices.dropLast(2).contains { index in
      let window = characters[index...index + 2]
      let (up, down) = (String(window), String(window.reversed()))
      return Set(window).count == 1 || lines.contains { $0.contains(up) || $0.contains(down) }
    }
  }

  @Test("A user who must choose a PIN sees the form rules of the policy")
  func told() throws {
    #expect(try PINRules.of(Self.numericHard).form.rules.count == 3)
    let rules = ["The PIN must have at least 4 characters.", "The PIN must contain a letter or a symbol."]
    #expect(try PINRules.of(Self.passcode).form.rules.map { $0.text(in: .english) } == rules)
    #expect(try PINRules.of("").form.rules == [])
  }
}

extension PINRules {
  /// Of a policy that requires a PIN.
  static func of(_ members: String, _ kind: PolicyKind = .ios, on platform: DevicePlatform = .ios) throws -> PINRules {
    let text = "{" + [#""pinRequired": true"#, members].filter { !$0.isEmpty }.joined(separator: ", ") + "}"
    let policy = CompiledPolicy(merging: [try .of("policy", kind, text)], platform: platform)
    return try #require(policy).pin
  }
}
