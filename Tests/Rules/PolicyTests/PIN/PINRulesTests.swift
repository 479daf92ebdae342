import Support
import TestSupport
import Testing

@testable import Model
@testable import Policy

@Suite("PIN settings of a policy", .timeLimit(.minutes(5))) struct PINRulesTests {
  private static let now = Timestamp(milliseconds: 1_000_000_000_000)

  private func pin(_ change: (inout FixedPIN) -> Void) -> FixedPIN {
    var pin = FixedPIN()
    change(&pin)
    return pin
  }

  @Test("A missing or null PIN setting restricts nothing")
  func missing() throws {
    for policy in ["", #""minimumPinLength": null, "pinCharacterSet": null, "periodBeforePinReset": null"#] {
      let rules = try PINRules.of(policy)
      #expect(rules.form == PINForm())
      #expect(rules.blockedPrevious == 0)
      #expect(rules.lifetimeMilliseconds == nil)
      #expect(rules.maximumTries == nil)
      #expect(rules.exhaustion == .reset)
      #expect(rules.biometricMilliseconds == nil)
      #expect(rules.biometrics == [.touchID, .faceID])
      let old = pin { $0.tries = 1000 }
      #expect(!rules.isExhausted(old))
      #expect(rules.triesLeft(of: old) == nil)
      #expect(rules.expiry(of: old) == nil)
    }
  }

  @Test(
    "A PIN expires after periodBeforePinReset; a period of zero means it never expires",
    arguments: [("P90D", 90), ("P365D", 365), ("PT0S", nil), ("P0D", nil)] as [(String, Int64?)])
  func expiry(_ period: String, _ days: Int64?) throws {
    let rules = try PINRules.of(#""periodBeforePinReset": "\#(period)""#)
    let old = pin { $0.setAt = Self.now }
    let end = days.map { Self.now.advanced(by: $0 * 86_400_000) }
    #expect(rules.expiry(of: old) == end)
    guard let end else { return #expect(!rules.hasExpired(old, at: .distantFuture)) }
    #expect(rules.hasExpired(old, at: end))
    #expect(!rules.hasExpired(old, at: end.advanced(by: -1)))
  }

  @Test(
    "The fingerprint and face settings of a policy decide which biometrics may replace the PIN",
    arguments: [
      ("", .ios, [.touchID, .faceID]), (#""fingerprintBlocked": true"#, .ios, [.faceID]),
      (#""faceIdBlocked": true"#, .ios, [.touchID]), (#""fingerprintBlocked": true, "faceIdBlocked": true"#, .ios, []),
      ("", .android, [.touchID, .faceID]), (#""fingerprintBlocked": true"#, .android, [.faceID]),
      (#""biometricAuthenticationBlocked": true"#, .android, []),
    ] as [(String, PolicyKind, [Biometric])])
  func biometrics(_ policy: String, _ kind: PolicyKind, _ allowed: [Biometric]) throws {
    let rules = try PINRules.of(policy, kind, on: kind == .ios ? .ios : .android)
    #expect(rules.biometrics == allowed)
  }

  @Test("A default policy blocks biometrics on each platform by the settings for that platform")
  func defaultPolicy() throws {
    let policy = #""faceIdBlocked": true, "biometricAuthenticationBlocked": true"#
    #expect(try PINRules.of(policy, .default).biometrics == [.touchID])
    #expect(try PINRules.of(policy, .default, on: .android).biometrics == [])
  }

  @Test("Biometrics stop replacing the PIN after pinRequiredInsteadOfBiometricTimeout without use")
  func biometricTimeout() throws {
    let typed = pin { $0.typedAt = Self.now }
    let later = Self.now.advanced(by: 12 * 3_600_000)
    let rules = try PINRules.of(#""pinRequiredInsteadOfBiometricTimeout": "PT12H""#)
    func biometrics(of rules: PINRules, usedAt: Timestamp? = nil, at now: Timestamp) -> Int {
      rules.biometrics(replacing: typed, lastUsedAt: usedAt, on: ToldDevice(), at: now).count
    }
    #expect(biometrics(of: rules, at: later.advanced(by: -1)) == 2)
    #expect(biometrics(of: rules, at: later) == 0)
    let used = Self.now.advanced(by: 3_600_000)
    #expect(biometrics(of: rules, usedAt: used, at: later.advanced(by: 3_600_000 - 1)) == 2)
    #expect(biometrics(of: rules, usedAt: used, at: later.advanced(by: 3_600_000)) == 0)
    #expect(biometrics(of: rules, usedAt: later.advanced(by: 60_000), at: later) == 0, "a use in the future is none")
    let always = try PINRules.of(#""pinRequiredInsteadOfBiometricTimeout": null"#)
    #expect(biometrics(of: always, at: .distantFuture) == 2)
    let never = try PINRules.of(#""pinRequiredInsteadOfBiometricTimeout": "PT0S""#)
    #expect(biometrics(of: never, usedAt: Self.now, at: Self.now) == 0)
  }

  @Test("A PIN entry with a time in the future does not count")
  func future() throws {
    let rules = try PINRules.of(#""periodOnlineBeforeAccessCheck": "PT30M""#)
    let ahead = pin { ($0.setAt, $0.typedAt, $0.activeAt) = (Self.now, Self.now, Self.now) }
    #expect(PINDemand(rules, on: ahead, isRecheckDue: true, at: Self.now) == .nothing)
    #expect(PINDemand(rules, on: ahead, isRecheckDue: true, at: Self.now.advanced(by: -1)) == .enter)
  }

  @Test(
    "A PIN serves a single use if periodOnlineBeforeAccessCheck is shorter than a minute",
    arguments: [("PT0S", true), ("PT59S", true), ("PT1M", false), ("PT30M", false)])
  func oneUse(_ period: String, _ servesOneUse: Bool) throws {
    #expect(try PINRules.of(#""periodOnlineBeforeAccessCheck": "\#(period)""#).servesOneUse == servesOneUse)
    #expect(try !PINRules.of("").servesOneUse)
  }

  @Test(
    "requireClass3Biometrics lets only biometrics reported as class 3 replace the PIN")
  func biometricClass() throws {
    let typed = pin { $0.typedAt = Self.now }
    for (isRequired, isAllowed) in [(false, [true, true, true, true]), (true, [false, false, false, true])] {
      let rules = try PINRules.of(#""requireClass3Biometrics": \#(isRequired)"#, .android, on: .android)
      let found = [nil, .class1, .class2, .class3].map { (reported: BiometricClass?) in
        !rules.biometrics(
          replacing: typed, lastUsedAt: nil, on: ToldDevice(.android) { $0.biometricClass = reported }, at: Self.now
        )
        .isEmpty
      }
      #expect(found == isAllowed)
    }
  }

  @Test("requirePinAfterBiometricChange demands the PIN once after the biometrics changed")
  func biometricChange() throws {
    let changed = ToldDevice(.android) { $0.biometricsChangedAt = Self.now }
    for (isRequired, counts) in [(false, [2, 2, 2]), (true, [0, 0, 2])] {
      let rules = try PINRules.of(#""requirePinAfterBiometricChange": \#(isRequired)"#, .android, on: .android)
      let found = [-1, 0, 1].map { after in
        rules.biometrics(
          replacing: pin { $0.typedAt = Self.now.advanced(by: after) }, lastUsedAt: nil, on: changed,
          at: Self.now.advanced(by: 10)
        ).count
      }
      #expect(found == counts)
      #expect(
        rules.biometrics(replacing: pin { _ in }, lastUsedAt: nil, on: ToldDevice(.android), at: Self.now).count == 2)
    }
  }

  @Test("fingerprintAndBiometricEnabled blocks biometrics on Android if false, and lifts no block if true")
  func fingerprintAndBiometric() throws {
    for (policy, allowed) in [
      (#""fingerprintAndBiometricEnabled": false"#, []),
      (#""fingerprintAndBiometricEnabled": true"#, [.touchID, .faceID]),
      (#""fingerprintAndBiometricEnabled": null"#, [.touchID, .faceID]),
      (#""fingerprintAndBiometricEnabled": true, "biometricAuthenticationBlocked": true"#, []),
    ] as [(String, [Biometric])] {
      #expect(try PINRules.of(policy, .android, on: .android).biometrics == allowed)
    }
    #expect(try PINRules.of(#""fingerprintAndBiometricEnabled": false"#, .ios).biometrics.count == 2)
  }

  @Test("The age, failed tries and form of a stored PIN decide what the user is asked for")
  func demands() throws {
    let rules = try PINRules.of(
      #""maximumPinRetries": 5, "periodBeforePinReset": "P1D", "periodOnlineBeforeAccessCheck": "PT30M""#)
    let fresh = pin { ($0.setAt, $0.typedAt, $0.activeAt) = (Self.now, Self.now, Self.now) }
    func demand(_ pin: FixedPIN?, due: Bool = true, after minutes: Int64 = 0) -> PINDemand {
      PINDemand(rules, on: pin, isRecheckDue: due, at: Self.now.advanced(by: minutes * 60_000))
    }
    #expect(demand(nil) == .set)
    #expect(demand(pin { $0.isSet = false }) == .set)
    #expect(demand(fresh) == .nothing)
    #expect(demand(fresh, after: 29) == .nothing)
    #expect(demand(fresh, after: 30) == .enter)
    #expect(demand(fresh, due: false, after: 30) == .nothing)
    #expect(demand(fresh, due: false, after: 1440) == .enter)
    var typed = fresh
    typed.typedAt = Self.now.advanced(by: 1439 * 60_000)
    #expect(demand(typed, after: 1440) == .change)
    var exhausted = fresh
    exhausted.tries = 5
    #expect(demand(exhausted, due: false) == .signIn)
    var unfit = fresh
    unfit.unfitForm = rules.form.key
    #expect(demand(unfit, due: false) == .change)
    #expect(demand(unfit, due: false, after: 30) == .enter)
  }
}
