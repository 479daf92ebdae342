import Model
import Policy
import Support

/// The facts of a device and an account in order, of which questions change some.
struct QuestionFacts: Sendable {
  static let now = Timestamp(milliseconds: 1_800_000_000_000)

  var device = Device()
  var secondsSinceContact: Int64 = 0
  var isSignInRefused = false
  var isSignInDue = false
  var isSignedIn = true
  var clockStatus = ClockStatus.clockedIn
  /// Since the status began, or became stale.
  var secondsOfStatus: Int64 = 0

  func facts(on platform: DevicePlatform) -> LaunchFacts {
    var device = device
    device.platform = platform
    let now = Self.now
    let stale: Int64 = clockStatus == .clockedInStale ? 3600 : 0
    return LaunchFacts(
      now: now, device: device, contactedAt: now.advanced(by: -secondsSinceContact * 1000),
      isSignInRefused: isSignInRefused, signInDueAt: isSignInDue ? now : nil,
      signedInAt: isSignInDue || !isSignedIn ? nil : now, isSignInFresh: isSignedIn, clockStatus: clockStatus,
      clock: ClockEntry(status: clockStatus, updated: now.advanced(by: -(secondsOfStatus + stale) * 1000)),
      appStore: nil)
  }
}

/// The questions about conditional launch. Each changes one fact, or two that one check reads, and looks at the rules
/// that read them: whatever the other rules say, this is what they add.
extension DecisionQuestions {
  private typealias Change<Value> = @Sendable (inout QuestionFacts, Value) -> Void

  var launch: [Questions] {
    versionQuestions + deviceQuestions + lockQuestions + offlineQuestions + accountQuestions
  }

  /// The harshest outcome of the rules of these settings; `nil` without a policy.
  private static func outcome(
    _ share: ComparedShare, _ settings: Set<SettingName>, _ facts: QuestionFacts
  ) -> Answer? {
    share.policy.map { policy in
      let findings = policy.launch.findings(facts.facts(on: share.platform))
      let outcomes = findings.filter { $0.setting.map(settings.contains) ?? false }.map(\.outcome)
      return Answer(launch: outcomes)
    }
  }

  private static func each<Value: Sendable>(
    _ title: String, _ settings: Set<SettingName>, _ values: [(String, Value)],
    _ change: @escaping @Sendable (inout QuestionFacts, Value) -> Void
  ) -> [Questions] {
    Questions.each("conditionalLaunch", title, values) { share, value in
      var facts = QuestionFacts()
      change(&facts, value)
      return outcome(share, settings, facts)
    }
  }

  private static func steps<Value: Sendable>(
    _ title: String, _ settings: Set<SettingName>, _ steps: Steps<Value>,
    _ change: @escaping @Sendable (inout QuestionFacts, Value, ComparedShare) -> Void
  ) -> Questions {
    steps.questions("conditionalLaunch", title) { share, value in
      var facts = QuestionFacts()
      change(&facts, value, share)
      return outcome(share, settings, facts)
    }
  }

  private var versionQuestions: [Questions] {
    let subjects: [(String, [SettingName], Change<String>)] = [
      (
        "osVersion",
        [
          .minimumWipeOsVersion, .minimumRequiredOsVersion, .minimumWarningOsVersion, .maximumWipeOsVersion,
          .maximumRequiredOsVersion, .maximumWarningOsVersion,
        ], { $0.device.osVersion = $1 }
      ),
      (
        "appVersion", [.minimumWipeAppVersion, .minimumRequiredAppVersion, .minimumWarningAppVersion],
        { $0.device.appVersion = $1 }
      ),
      (
        "sdkVersion", [.minimumWipeSdkVersion, .minimumRequiredSdkVersion, .minimumWarningSdkVersion],
        { $0.device.sdkVersion = $1 }
      ),
    ]
    return subjects.map { title, settings, change in
      Self.steps(title, Set(settings), Steps(versions: values.versions(settings))) { facts, version, _ in
        change(&facts, version.text)
      }
    }
  }

  private var deviceQuestions: [Questions] {
    let models = values.texts(.allowedIosDeviceModels, .allowedAndroidDeviceModels, unnamed: "unnamed model")
    let manufacturers = values.texts(.allowedAndroidDeviceManufacturers, unnamed: "unnamed manufacturer")
    let reports: [(String, Bool?)] = [("not reported", nil), ("true", true), ("false", false)]
    let makers: [(String, String?)] = [("", nil), (", made by samsung", "samsung"), (", made by others", "unnamed")]
    let knox = reports.flatMap { report in makers.map { (report.0 + $0.0, (report.1, $0.1)) } }
    return Self.each("jailbroken", [.deviceComplianceRequired], [("true", true), ("false", false)]) {
      $0.device.jailbroken = $1
    }
      + Self.each(
        "threatLevel", [.maximumAllowedDeviceThreatLevel], DeviceThreatLevel.allCases.map { ($0.rawValue, $0) }
      ) { $0.device.threatLevel = $1 }
      + Self.each("model", [.allowedIosDeviceModels, .allowedAndroidDeviceModels], models.map { ($0, $0) }) {
        $0.device.model = $1
      }
      + Self.each("manufacturer", [.allowedAndroidDeviceManufacturers], manufacturers.map { ($0, $0) }) {
        $0.device.manufacturer = $1
      }
      + Self.each("developerOptionsEnabled", [.appActionIfDeveloperOptionsEnabled], reports) {
        $0.device.developerOptionsEnabled = $1
      }
      + Self.each("knoxAttested", [.appActionIfSamsungKnoxAttestationRequired], knox) {
        ($0.device.knoxAttested, $0.device.manufacturer) = $1
      }
      + Questions.one("conditionalLaunch", "settings that mambridge does not know") { share in
        share.policy.map { policy in
          let findings = policy.launch.findings(QuestionFacts().facts(on: share.platform))
          return Answer(launch: findings.filter { $0.setting == nil }.map(\.outcome))
        }
      }
  }

  /// A screen lock that no host reports is judged by the PIN of the device, and by the version of Android.
  private var lockQuestions: [Questions] {
    let pins: [(String, Bool?)] = [("no PIN reported", nil), ("a PIN", true), ("no PIN", false)]
    let complexities: [(String, PasscodeComplexity?)] =
      [("complexity not reported", nil)] + PasscodeComplexity.allCases.map { ("complexity \($0.rawValue)", $0) }
    let versions: [(String, String?)] = [("", nil), (", Android 11", "11"), (", Android 12", "12")]
    let cases = pins.flatMap { pin in
      complexities.flatMap { complexity in
        versions.map { version in
          ("\(pin.0), \(complexity.0)\(version.0)", (pin.1, complexity.1, version.1))
        }
      }
    }
    let settings: Set<SettingName> = [
      .deviceLockRequired, .appActionIfDevicePasscodeComplexityLessThanLow,
      .appActionIfDevicePasscodeComplexityLessThanMedium, .appActionIfDevicePasscodeComplexityLessThanHigh,
    ]
    return Self.each("the device has", settings, cases) { facts, lock in
      if let isSet = lock.0 { facts.device.devicePinSet = isSet }
      (facts.device.passcodeComplexity, facts.device.osVersion) = (lock.1, lock.2)
    }
  }

  private var offlineQuestions: [Questions] {
    let times = Steps(
      durations: values.durations(.periodOfflineBeforeWipeIsEnforced, .periodOfflineBeforeAccessCheck))
    let settings: Set<SettingName> = [.periodOfflineBeforeWipeIsEnforced, .periodOfflineBeforeAccessCheck]
    func back(_ isRefused: Bool) -> @Sendable (inout QuestionFacts, Int64, ComparedShare) -> Void {
      { facts, seconds, share in
        facts.isSignInDue = share.policy?.launch.wipesAfter.map { $0.seconds <= seconds } ?? false
        facts.isSignInRefused = isRefused
      }
    }
    return [
      Self.steps("offline for", settings, times) { facts, seconds, _ in facts.secondsSinceContact = seconds },
      Self.steps("offline without a network for", settings, times) { facts, seconds, _ in
        facts.secondsSinceContact = seconds
        facts.device.networkAvailable = false
      },
      Self.steps("online again, offline before for", settings, times, back(false)),
      Self.steps("online again, sign-in refused, offline before for", settings, times, back(true)),
    ]
  }

  private var accountQuestions: [Questions] {
    let graces = Steps(durations: values.durations(.gracePeriodToBlockAppsDuringOffClockHours))
    let clock: Set<SettingName> = [.appActionIfAccountIsClockedOut]
    return Self.each("the account is disabled or deleted", [.appActionIfUnableToAuthenticateUser], [("", true)]) {
      $0.isSignInRefused = $1
    }
      + Self.each("the user has not signed in", [.organizationalCredentialsRequired], [("", false)]) {
        $0.isSignedIn = $1
      }
      + ClockStatus.allCases.map { status in
        Self.steps("clock status \(status.rawValue) for", clock, graces) { facts, seconds, _ in
          (facts.clockStatus, facts.secondsOfStatus) = (status, seconds)
        }
      }
  }
}

extension Answer {
  /// The harshest of these outcomes.
  fileprivate init(launch outcomes: [LaunchOutcome]) {
    let ranks: [(LaunchOutcome, String)] = [
      (.wipe, "wipe"), (.block, "block"), (.challenge, "sign in"), (.warn, "warn"),
    ]
    let found = ranks.enumerated().first { outcomes.contains($0.element.0) }
    self.init(
      found?.element.1 ?? "allow", Int64(ranks.count - (found?.offset ?? ranks.count)),
      removesData: found?.element.0 == .wipe)
  }
}
