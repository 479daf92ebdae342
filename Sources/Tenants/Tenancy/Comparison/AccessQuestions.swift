import Model
import Policy
import Support

/// The questions about the PIN.
extension DecisionQuestions {
  var pin: [Questions] {
    let devicePINs: [(String, DevicePIN)] = [
      ("if the device has no PIN", .notSet), ("if the user set a PIN of the device", .setByUser),
      ("if a managed device has a PIN", .setOnManagedDevice),
    ]
    return Questions.each("isPINRequired", "the PIN", devicePINs) { share, devicePIN in
      share.policy.map { _ in .demand(ComparedAccounts(share).questions.isPINRequired(devicePIN).value) }
    } + pinForm + pinTimes + biometrics
  }

  /// The rules, if there must be a PIN at all.
  private static func rules(_ share: ComparedShare) -> PINRules? {
    share.policy.flatMap { $0.isPINRequired ? $0.pin : nil }
  }

  private var pinForm: [Questions] {
    let lengths = Steps<Int64>(startingAt: values.integers(.minimumPinLength).filter { $0 <= 128 }, from: 1) {
      "\($0) characters"
    }
    // Without runs and repetitions.
    let kinds: [(String, String)] = [
      ("only digits", "1937"), ("only letters", "xkcq"), ("three letters in a row", "xabc"),
      ("digits and letters", "1x9k"),
      ("digits, letters and symbols", "1x!9"), ("three digits in a row", "1239"),
      ("digits, letters, symbols and a run", "x!1239"),
    ]
    @Sendable func isAccepted(_ share: ComparedShare, _ text: String) -> Answer? {
      Self.rules(share).map { rules in
        .permission(Array(text.utf8).withUnsafeBytes { rules.form.fault(of: PINTraits(utf8: $0)) } == nil)
      }
    }
    return Questions.each("pinForm", "a PIN with", kinds) { share, unit in
      isAccepted(share, unit + Self.padding(of: unit))
    } + [
      lengths.questions("pinLength", "a PIN of") { share, length in
        Self.rules(share).map { rules in
          rules.isLongEnough(Int(clamping: length))
            ? Answer("accepted", 0) : Answer("too short", 1)
        }
      }
    ]
      + Questions.one("pinHistory", "earlier PINs that cannot be chosen again") { share in
        Self.rules(share).map { Answer("\($0.blockedPrevious)", Int64($0.blockedPrevious)) }
      }
  }

  /// Makes a PIN long enough for every policy without changing what it consists of.
  private static func padding(of unit: String) -> String {
    String(String(repeating: unit, count: 128 / unit.count + 1).prefix(128 - unit.count))
  }

  var wrongPINs: Questions {
    let tries = Steps<Int64>(startingAt: values.integers(.maximumPinRetries)) { "\($0)" }
    return tries.questions("wrongPINs", "after wrong PINs:") { share, count in
      Self.rules(share).map { rules in
        let pin = AssumedPIN(tries: Int(clamping: count))
        guard rules.isExhausted(pin) else { return Answer("another try", 0) }
        return rules.exhaustion == .wipe ? Answer("wipe", 2, removesData: true) : Answer("reset of the PIN", 1)
      }
    }
  }

  private var pinTimes: [Questions] {
    let now = QuestionFacts.now
    return [
      wrongPINs,
      Steps(durations: values.durations(.periodBeforePinReset)).questions("pinAge", "a PIN of an age of") {
        share, age in
        Self.rules(share).map { rules in
          let pin = AssumedPIN(setAt: now.advanced(by: -age * 1000))
          return rules.hasExpired(pin, at: now) ? Answer("must be changed", 1) : Answer("stays", 0)
        }
      },
      Steps(durations: values.durations(.periodOnlineBeforeAccessCheck)).questions("recheck", "after a pause of") {
        share, pause in
        share.policy.map { policy in
          let last = Activity(since: now.advanced(by: -pause * 1000), usedAt: now.advanced(by: -pause * 1000))
          return last.isOver(at: now, policy.launch.recheckAfter)
            ? Answer("checked again", 1) : Answer("not checked", 0)
        }
      },
    ]
      + Questions.one("pinServesOneUse", "a PIN at each use") { share in
        Self.rules(share).map { .demand($0.servesOneUse) }
      }
  }

  private var biometrics: [Questions] {
    let now = QuestionFacts.now
    let pauses = Steps(durations: values.durations(.pinRequiredInsteadOfBiometricTimeout))
    let cases = Biometric.allCases.flatMap { biometric in
      [(biometric, BiometricClass?.none, false), (biometric, .class3, false), (biometric, .class3, true)]
    }
    return cases.map { biometric, strength, isChanged in
      let device = strength.map { " of \($0.rawValue)" } ?? ""
      let title =
        "\(biometric.rawValue)\(device) for the PIN\(isChanged ? " after a change of biometrics" : ""), unused for"
      return pauses.questions("biometrics", title) { share, pause in
        Self.rules(share).map { rules in
          var device = Device()
          device.platform = share.platform
          device.biometricClass = strength
          if isChanged { device.biometricsChangedAt = now }
          let used = now.advanced(by: -pause * 1000)
          let allowed = rules.biometrics(
            replacing: AssumedPIN(typedAt: used), lastUsedAt: used, on: device, at: now)
          return .permission(allowed.contains(biometric))
        }
      }
    }
  }
}

/// A PIN that is stored.
private struct AssumedPIN: PINRecord {
  var tries = 0
  var setAt = QuestionFacts.now
  var typedAt = QuestionFacts.now
  var isSet: Bool { true }
  var activeAt: Timestamp { typedAt }
  var unfitForm: String { "" }
}
