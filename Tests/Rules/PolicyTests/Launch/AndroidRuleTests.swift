import JSON
import Testing

@testable import Model
@testable import Policy

/// Rules about what only Android devices report.
@Suite(.timeLimit(.minutes(5))) struct AndroidRuleTests {
  private func outcome(
    _ setting: String, _ action: String, kind: PolicyKind = .android, _ change: (inout ToldDevice) -> Void = { _ in }
  ) throws -> LaunchRuleReport {
    let device = ToldDevice(.android, change)
    let findings = try LaunchRuleFixture.findings(#"{"\#(setting)": "\#(action)"}"#, device, kind: kind)
    return try #require(findings.count == 1 ? findings.first?.report(in: .english) : nil)
  }

  private static let actions = ["block", "wipe", "warn", "blockWhenSettingIsSupported"]
  private static let words = ["block": LaunchOutcome.block, "wipe": .wipe, "warn": .warn]

  @Test(
    "A reported passcode complexity below the required level triggers the action of the policy",
    arguments: ["Low", "Medium", "High"])
  func complexity(level: String) throws {
    let setting = "appActionIfDevicePasscodeComplexityLessThan\(level)"
    let least = try #require(PasscodeComplexity(rawValue: level.lowercased()))
    for (action, reported) in Self.actions.flatMap({ action in PasscodeComplexity.allCases.map { (action, $0) } }) {
      for version in ["12", "14.1", nil] {
        let rule = try outcome(setting, action) { ($0.passcodeComplexity, $0.osVersion) = (reported, version) }
        #expect(rule.outcome == (reported < least ? Self.words[action] ?? .block : .passed), "\(action) \(reported)")
        #expect(rule.actual == .string(reported.rawValue))
        #expect((rule.message == nil) == (rule.outcome == .passed))
      }
    }
  }

  @Test(
    "Without a reported passcode complexity, a device PIN counts as low complexity and never wipes",
    arguments: [
      ("Low", false, LaunchOutcome.wipe), ("Medium", false, .wipe), ("High", false, .wipe), ("Low", true, .passed),
      ("Medium", true, .block), ("High", true, .block),
    ])
  func unreportedComplexity(level: String, hasPIN: Bool, outcome: LaunchOutcome) throws {
    let rule = try self.outcome("appActionIfDevicePasscodeComplexityLessThan\(level)", "wipe") {
      $0.devicePinSet = hasPIN
    }
    #expect(rule.outcome == outcome)
    #expect(rule.text.contains("passcodeComplexity is not reported"))
  }

  @Test("An unreported device PIN counts as missing and blocks or warns, but never wipes")
  func unreportedPIN() throws {
    let settings = ["Low", "Medium", "High"].map { "appActionIfDevicePasscodeComplexityLessThan\($0)" }
    for (setting, action, outcome) in settings.flatMap({ [($0, "wipe", LaunchOutcome.block), ($0, "warn", .warn)] }) {
      let rule = try self.outcome(setting, action) { _ in }
      #expect(rule.outcome == outcome, "\(rule.text)")
      #expect(rule.text.contains("assuming no PIN"), "\(rule.text)")
    }
    let lock = #"{"deviceLockRequired": true, "appActionIfDeviceLockNotSet": "wipe"}"#
    let found = try LaunchRuleFixture.findings(lock, ToldDevice(.android), kind: .android)
    #expect(found.map(\.outcome) == [.block])
    #expect(found[0].result.text.contains("No host reported devicePinSet"))
  }

  @Test(
    "Up to Android 11, every passcode complexity level requires only a screen lock",
    arguments: ["8.1", "10", "11", "11.9", "12", "13"])
  func oldAndroid(version: String) throws {
    let isOld = !version.hasPrefix("12") && !version.hasPrefix("13")
    for level in ["Low", "Medium", "High"] {
      let setting = "appActionIfDevicePasscodeComplexityLessThan\(level)"
      let locked = try outcome(setting, "warn") { ($0.devicePinSet, $0.osVersion) = (true, version) }
      #expect(locked.outcome == (isOld || level == "Low" ? .passed : .warn))
      #expect(try outcome(setting, "warn") { $0.osVersion = version }.outcome == .warn)
      let weak = try outcome(setting, "warn") { ($0.passcodeComplexity, $0.osVersion) = (.low, version) }
      #expect(weak.outcome == (isOld || level == "Low" ? .passed : .warn))
    }
  }

  @Test("Enabled developer options trigger the policy's action; if unreported, they never wipe", arguments: actions)
  func developerOptions(action: String) throws {
    let setting = "appActionIfDeveloperOptionsEnabled"
    #expect(try outcome(setting, action) { $0.developerOptionsEnabled = true }.outcome == Self.words[action] ?? .block)
    #expect(try outcome(setting, action) { $0.developerOptionsEnabled = false }.outcome == .passed)
    let untold = try outcome(setting, action)
    #expect(untold.text.contains("developerOptionsEnabled"))
    #expect(untold.actual == .null)
    #expect(untold.outcome == unreported(action))
  }

  @Test("Knox attestation is required only on Samsung devices and never wipes if unreported", arguments: actions)
  func knox(action: String) throws {
    let setting = "appActionIfSamsungKnoxAttestationRequired"
    for maker in ["Samsung", "samsung", nil] {
      let failed = try outcome(setting, action) { ($0.manufacturer, $0.knoxAttested) = (maker, false) }
      #expect(failed.outcome == Self.words[action] ?? .block)
      #expect(try outcome(setting, action) { ($0.manufacturer, $0.knoxAttested) = (maker, true) }.outcome == .passed)
      let untold = try outcome(setting, action) { $0.manufacturer = maker }
      #expect(untold.outcome == unreported(action))
      #expect(untold.text.contains("knoxAttested"))
    }
    for attested in [nil, true, false] as [Bool?] {
      let other = try outcome(setting, action) { ($0.manufacturer, $0.knoxAttested) = ("Google", attested) }
      #expect(other.outcome == .notApplicable)
    }
  }

  private func unreported(_ action: String) -> LaunchOutcome {
    action == "warn" ? .warn : action == "blockWhenSettingIsSupported" ? .passed : .block
  }

  @Test("Android launch rules do not exist in iOS policies, and default policies apply them only on Android")
  func otherPlatform() throws {
    let text =
      #"{"appActionIfDeveloperOptionsEnabled": "wipe", "appActionIfDevicePasscodeComplexityLessThanLow": "wipe"}"#
    #expect(try LaunchRuleFixture.findings(text, ToldDevice(.ios)).isEmpty)
    let onPhone = try LaunchRuleFixture.findings(text, ToldDevice(.ios), kind: .default)
    #expect(onPhone.map(\.outcome) == [.notApplicable, .notApplicable])
    let onAndroid = try LaunchRuleFixture.findings(text, ToldDevice(.android), kind: .default)
    #expect(onAndroid.map(\.outcome) == [.block, .block])
  }

  @Test("NONE in a dump from a device leaves a rule unset")
  func dump() throws {
    for (word, value) in [
      ("NONE", nil), ("WARN", .word("warn")), ("WIPE_DATA", .word("wipe")), ("WIPE", .word("wipe")),
    ]
      as [(String, SettingValue?)]
    {
      let members: JSONObject = ["AppActionIfSamsungKnoxAttestationRequired": .string(word)]
      let imported = PolicyImport(members, source: "x", kind: .android)
      #expect(imported.settings[.appActionIfSamsungKnoxAttestationRequired] == value)
      #expect(imported.warnings.isEmpty)
    }
  }
}
