import JSON
import TestSupport
import Testing

@testable import Model
@testable import Policy

/// What is compared.
private enum Subject: String, CaseIterable, Sendable {
  case system = "Os"
  case app = "App"
  case sdk = "Sdk"

  func device(_ version: String?) -> ToldDevice {
    ToldDevice {
      switch self {
      case .system: $0.osVersion = version
      case .app: $0.appVersion = version
      case .sdk: $0.sdkVersion = version ?? ""
      }
    }
  }
}

private let actions: [(word: String, outcome: LaunchOutcome)] = [
  ("Wipe", .wipe), ("Required", .block), ("Warning", .warn),
]

/// The policy's value, the device's, and whether a minimum and a maximum fail.
private let comparisons: [(value: String, actual: String, belowMinimum: Bool, aboveMaximum: Bool)] = [
  ("14.8", "14.7.9", true, false), ("14.8", "14.8", false, false), ("14.8", "14.8.0", false, false),
  ("14.8.0.0", "14.8", false, false), ("14.8", "14.8.0.1", false, true), ("14.8", "14.10", false, true),
  ("14.8", "9", true, false), ("14", "14.0.1", false, true), ("014.08", "14.8", false, false),
  ("0.0.1", "0", true, false), ("4294967295", "4294967295.1", false, true),
]

@Suite(.timeLimit(.minutes(5))) struct VersionRuleTests {
  private func finding(_ setting: String, _ value: String, _ device: ToldDevice) throws -> LaunchFinding? {
    try LaunchRuleFixture.findings(#"{"\#(setting)": "\#(value)"}"#, device).first
  }

  @Test(
    "A minimum version rule fails only if the version is lower, with missing parts counted as 0",
    arguments: Subject.allCases, comparisons)
  fileprivate func minimum(
    _ subject: Subject, _ row: (value: String, actual: String, belowMinimum: Bool, aboveMaximum: Bool)
  ) throws {
    for (word, outcome) in actions {
      let name = "minimum\(word)\(subject.rawValue)Version"
      let finding = try #require(try finding(name, row.value, subject.device(row.actual)))
      #expect(finding.outcome == (row.belowMinimum ? outcome : .passed), "\(name)")
      let report = finding.report(in: .english)
      #expect(report.value == .string(row.value))
      #expect(report.actual == .string(row.actual))
      #expect(report.text.contains(row.actual))
      #expect(report.text.contains(row.value))
      #expect((report.message != nil) == row.belowMinimum)
    }
  }

  @Test("A maximum OS version rule fails only if the OS version is higher", arguments: comparisons)
  func maximum(_ row: (value: String, actual: String, belowMinimum: Bool, aboveMaximum: Bool)) throws {
    for (word, outcome) in actions {
      let finding = try #require(try finding("maximum\(word)OsVersion", row.value, Subject.system.device(row.actual)))
      #expect(finding.outcome == (row.aboveMaximum ? outcome : .passed))
    }
  }

  @Test("A version rule does not apply if the version is unreported or cannot be parsed", arguments: Subject.allCases)
  fileprivate func missing(_ subject: Subject) throws {
    for version in [nil, "", "fourteen", "14.", "14.x", "-1"] {
      let finding = try #require(try finding("minimumWipe\(subject.rawValue)Version", "14", subject.device(version)))
      #expect(finding.outcome == .notApplicable)
      #expect(finding.report(in: .english).message == nil)
    }
  }

  @Test("An empty, zero, null or invalid version sets no rule, and only an invalid one causes a warning")
  func noRule() throws {
    for value: JSONValue in ["", "0.0", "0", "0.0.0.0", .null, "new", "14..8"] {
      var warnings: [PolicyWarning] = []
      let document = PolicyDocument(
        unchecked: ["minimumWipeOsVersion": value], kind: .ios, source: "s", fallbackID: "s", warnings: &warnings)
      let policy = try #require(EffectivePolicy(merging: [document], platform: .ios))
      #expect(LaunchRules(policy).rules.isEmpty)
      #expect(warnings.isEmpty == (value.isNull || ["", "0.0", "0", "0.0.0.0"].contains(value)))
    }
  }

  @Test(
    "A version message names the required version and, for the app, where to get the update",
    arguments: [
      (nil, nil), ("CompanyPortal", "You can get the update in the Company Portal."),
      ("companyportal", "You can get the update in the Company Portal."),
      ("https://store.example/app", "You can get the update here: https://store.example/app"),
    ] as [(String?, String?)])
  func update(_ store: String?, _ end: String?) throws {
    let account = LaunchAccount(appStore: store)
    for word in ["Wipe", "Required", "Warning"] {
      let text = #"{"minimum\#(word)AppVersion": "2.0"}"#
      let finding = try LaunchRuleFixture.findings(text, Subject.app.device("1"), account).first
      let message = try #require(finding?.report(in: .english).message)
      #expect(
        message.contains("2.0") && message.hasSuffix(end ?? ".") && message.contains("You can get") == (end != nil))
    }
    let system = try LaunchRuleFixture.findings(
      #"{"minimumRequiredOsVersion": "2.0"}"#, Subject.system.device("1"), account)
    #expect(system.first?.report(in: .english).message?.contains("(2.0)") == true)
  }

  @Test("Launch rules decide in the order wipe, block, warn, and within each in the order SDK, app, OS")
  func order() throws {
    let names = ["Os", "App", "Sdk"].flatMap { subject in
      ["minimumWarning", "minimumRequired", "minimumWipe"].map { "\($0)\(subject)Version" }
    }
    let text = "{" + names.map { "\"\($0)\": \"9\"" }.joined(separator: ",") + "}"
    let device = ToldDevice {
      $0.osVersion = "1"
      $0.appVersion = "1"
      $0.sdkVersion = "1"
    }
    var end = LaunchEnd(try LaunchRuleFixture.findings(text, device))
    #expect(end.findings.count == 9)
    var decisions: [String] = []
    while let rule = end.decisive {
      decisions.append("\(end.verdict.rawValue) \(rule.name.text)")
      end.turn(rule.outcome, into: .passed, "") { $0.setting == rule.setting }
    }
    #expect(
      decisions == [
        "wipe minimumWipeSdkVersion", "wipe minimumWipeAppVersion", "wipe minimumWipeOsVersion",
        "block minimumRequiredSdkVersion", "block minimumRequiredAppVersion", "block minimumRequiredOsVersion",
        "warn minimumWarningSdkVersion", "warn minimumWarningAppVersion", "warn minimumWarningOsVersion",
      ])
    #expect(end.verdict == .allow)
  }
}
