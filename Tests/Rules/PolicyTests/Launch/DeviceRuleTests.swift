import JSON
import Testing

@testable import Model
@testable import Policy

/// A rule about the device: what the policy says beside its action, and devices that pass, fail and tell nothing.
private struct Row: Sendable, CustomTestStringConvertible {
  let policy: String
  let action: String
  let platform: DevicePlatform
  /// What the rule may do; what else is written counts as block.
  var actions: Set<String> = ["block", "wipe"]
  let pass: @Sendable (inout ToldDevice) -> Void
  let fail: @Sendable (inout ToldDevice) -> Void
  var isUnknownUntold = false
  var testDescription: String { policy }

  static let all: [Row] = [
    Row(
      policy: #""deviceComplianceRequired": true"#, action: "appActionIfDeviceComplianceRequired", platform: .ios,
      pass: { _ in }, fail: { $0.jailbroken = true }),
    Row(
      policy: #""deviceComplianceRequired": true"#, action: "appActionIfDeviceComplianceRequired", platform: .android,
      pass: { _ in }, fail: { $0.jailbroken = true }),
    Row(
      policy: #""allowedIosDeviceModels": "iPhone15,2; iPad14,1""#, action: "appActionIfIosDeviceModelNotAllowed",
      platform: .ios, pass: { $0.model = "IPHONE15,2" }, fail: { $0.model = "iPhone15" }, isUnknownUntold: true),
    Row(
      policy: #""allowedAndroidDeviceModels": ["Pixel 8"]"#, action: "appActionIfAndroidDeviceModelNotAllowed",
      platform: .android, pass: { $0.model = "pixel 8" }, fail: { $0.model = "Pixel 7" }, isUnknownUntold: true),
    Row(
      policy: #""allowedAndroidDeviceManufacturers": "Google;Fairphone""#,
      action: "appActionIfAndroidDeviceManufacturerNotAllowed", platform: .android,
      pass: { $0.manufacturer = "google" }, fail: { $0.manufacturer = "Contoso" }, isUnknownUntold: true),
    Row(
      policy: #""maximumAllowedDeviceThreatLevel": "low""#, action: "mobileThreatDefenseRemediationAction",
      platform: .ios, pass: { $0.threatLevel = .low }, fail: { $0.threatLevel = .medium }),
    Row(
      policy: #""deviceLockRequired": true"#, action: "appActionIfDeviceLockNotSet", platform: .android,
      actions: ["block", "wipe", "warn"], pass: { $0.devicePinSet = true }, fail: { $0.devicePinSet = false }),
  ]

  var kind: PolicyKind { platform == .ios ? .ios : .android }

  func finding(_ action: String?, _ device: ToldDevice, kind: PolicyKind? = nil) throws -> LaunchFinding {
    let action = action.map { #", "\#(self.action)": "\#($0)""# } ?? ""
    let findings = try LaunchRuleFixture.findings("{\(policy)\(action)}", device, kind: kind ?? self.kind)
    return try #require(findings.count == 1 ? findings.first : nil)
  }
}

@Suite(.timeLimit(.minutes(5))) struct DeviceRuleTests {
  @Test(
    "A failed device rule takes the policy's action, or blocks if that is missing or unsupported",
    arguments: Row.all)
  fileprivate func actions(_ row: Row) throws {
    for action in [nil, "block", "wipe", "warn", "blockWhenSettingIsSupported"] {
      let word = action.flatMap { row.actions.contains($0) ? $0 : nil } ?? "block"
      let failed = try row.finding(action, ToldDevice(row.platform, row.fail))
      #expect(failed.outcome.rawValue == word)
      #expect(failed.report(in: .english).message?.isEmpty == false)
      #expect(failed.report(in: .english).text.hasSuffix("."))
      let passed = try row.finding(action, ToldDevice(row.platform, row.pass))
      #expect(passed.outcome == .passed)
      #expect(passed.report(in: .english).message == nil)
    }
  }

  @Test(
    "A rule about an unreported model or manufacturer does not apply", arguments: Row.all.filter { $0.isUnknownUntold })
  fileprivate func untold(_ row: Row) throws {
    #expect(try row.finding("wipe", ToldDevice(row.platform)).outcome == .notApplicable)
  }

  @Test("In a default policy, a device rule for iOS does not apply on Android, nor the other way around")
  func otherPlatform() throws {
    for row in Row.all where !row.policy.contains("Compliance") && !row.policy.contains("Threat") {
      let other: DevicePlatform = row.platform == .ios ? .android : .ios
      let finding = try row.finding("wipe", ToldDevice(other, row.fail), kind: .default)
      #expect(finding.outcome == .notApplicable)
      #expect(finding.report(in: .english).actual == .null)
      #expect(finding.report(in: .english).text.contains(row.platform == .ios ? "iOS" : "Android"))
      #expect(try row.finding("wipe", ToldDevice(row.platform, row.fail), kind: .default).outcome == .wipe)
    }
  }

  @Test("After a change of platform, the old policy's offline limit applies, but not its device rules")
  func changedPlatform() throws {
    let rules = LaunchRules(
      try LaunchRuleFixture.policy(
        #"{"deviceComplianceRequired": true, "minimumWipeOsVersion": "9", "periodOfflineBeforeAccessCheck": "PT1M"}"#,
        on: .ios))
    let device = ToldDevice(.android) {
      $0.jailbroken = true
      $0.osVersion = "8"
    }
    let findings = rules.findings(LaunchAccount(contactedAgo: 2).facts(device))
    #expect(findings.map(\.outcome) == [.notApplicable, .notApplicable, .block])
  }

  @Test(
    "An unreported threat level blocks, never wipes, and asks the user to set up the defense app",
    arguments: ["block", "wipe", nil], DevicePlatform.allCases)
  func unreportedThreat(action: String?, platform: DevicePlatform) throws {
    let remediation = action.map { #", "mobileThreatDefenseRemediationAction": "\#($0)""# } ?? ""
    for limit in ["secured", "low", "medium", "high"] {
      let policy = #"{"maximumAllowedDeviceThreatLevel": "\#(limit)"\#(remediation)}"#
      let rule = try LaunchRuleFixture.findings(policy, ToldDevice(platform), kind: platform.policyKind)
        .first?.report(in: .english)
      #expect(rule?.outcome == .block, "\(limit)")
      #expect(rule?.actual == "notConfigured", "\(limit)")
      #expect(rule?.message?.contains("threat protection app") == true)
      #expect(rule?.message?.contains("Set up the app") == true)
    }
  }

  @Test("A threat level above the allowed maximum blocks; notConfigured sets no rule")
  func threats() throws {
    let levels: [DeviceThreatLevel] = [.secured, .low, .medium, .high]
    for (limit, word) in levels.enumerated() {
      for (level, reported) in levels.enumerated() {
        let text = #"{"maximumAllowedDeviceThreatLevel": "\#(word.rawValue)"}"#
        let findings = try LaunchRuleFixture.findings(text, ToldDevice { $0.threatLevel = reported })
        #expect(findings.first?.outcome == (level > limit ? .block : .passed))
      }
    }
    let none = #"{"maximumAllowedDeviceThreatLevel": "notConfigured", "deviceComplianceRequired": false}"#
    #expect(try LaunchRuleFixture.findings(none, ToldDevice { $0.threatLevel = .high }).isEmpty)
  }
}
