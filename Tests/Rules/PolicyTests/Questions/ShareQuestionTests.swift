import Testing

@testable import Model
@testable import Policy

/// Sending to all apps, to managed ones with and without a filter or with the system's sharing, and to none.
@Suite struct ShareQuestionTests {
  private static let boss: AccountReference = "boss@contoso.example"
  private static let targets: [ShareTarget] = [
    ShareTarget(id: "mail", managed: true), ShareTarget(id: "notes", managed: false),
    ShareTarget(id: "bosses", managed: true, account: boss), ShareTarget(id: "exempt", managed: false),
  ]
  private static let all = targets.map(\.id)

  private static let managed = #""allowedOutboundDataTransferDestinations": "managedApps""#
  private static let filter = #"\#(managed), "filterOpenInToOnlyManagedApps": true"#
  private static let system = #""disableProtectionOfManagedOutboundOpenInData": true"#

  private func choice(
    _ settings: String, isMDM: Bool = false, platform: DevicePlatform = .ios, receiver: String = "{}"
  ) throws -> Reasoned<ShareChoice> {
    let kind: PolicyKind = platform == .ios ? .ios : .android
    let document = try PolicyDocument.of("x", kind, "{\(settings)}")
    let questions = PolicyQuestions(
      policy: CompiledPolicy(merging: [document], platform: platform), account: "alice@contoso.example")
    let other = try #require(PolicyQuestions.of(receiver).policy)
    return questions.shareTargets(Self.targets, isMDM: isMDM, in: FixedAccounts(policies: [Self.boss: other]))
  }

  @Test(
    "On iOS the policy decides which share targets are offered and whether to encrypt",
    arguments: [
      ("", false, all, false), (#""allowedOutboundDataTransferDestinations": "allApps""#, false, all, false),
      (#""allowedOutboundDataTransferDestinations": "none""#, false, [], true),
      (managed, false, all, true), (managed, true, all, true), (filter, false, ["mail", "bosses"], true),
      ("\(managed), \(system)", false, all, true), ("\(managed), \(system)", true, all, false),
      ("\(filter), \(system)", false, all, true), ("\(filter), \(system)", true, all, false),
      (#""filterOpenInToOnlyManagedApps": true"#, false, all, false),
    ])
  func iOS(settings: String, isMDM: Bool, offered: [String], encrypts: Bool) throws {
    let choice = try choice(settings, isMDM: isMDM)
    #expect(choice.value.targets.map(\.id) == offered)
    #expect(choice.value.encrypts == encrypts)
    #expect(choice.reasons.map { $0.part?.name } == Self.all + ["encrypt"])
  }

  @Test("A filtered share list leaves out another account of this app that may not receive data")
  func receiver() throws {
    let receiver = #"{"allowedInboundDataTransferSources": "none"}"#
    #expect(try choice(Self.filter, receiver: receiver).value.targets.map(\.id) == ["mail"])
    #expect(try choice(Self.managed, receiver: receiver).value.targets.map(\.id) == Self.all)
  }

  @Test(
    "A filtered share list offers another app for the same account even if inbound transfer is none",
    arguments: [DevicePlatform.ios, .android])
  func sameAccount(platform: DevicePlatform) throws {
    let document = try PolicyDocument.of(
      "x", platform.policyKind, #"{\#(Self.filter), "allowedInboundDataTransferSources": "none"}"#)
    let policy = try #require(CompiledPolicy(merging: [document], platform: platform))
    let questions = PolicyQuestions(policy: policy, account: Self.boss)
    let choice = questions.shareTargets(
      Self.targets, isMDM: false, in: FixedAccounts(policies: [Self.boss: policy]))
    #expect(choice.value.targets.map(\.id) == ["mail", "bosses"])
  }

  @Test(
    "Android always offers the share targets that every policy exempts", arguments: ["managedApps", "none"],
    [
      "com.android.phone", "com.android.vending", "com.azure.authenticator",
      "com.microsoft.windowsintune.companyportal",
    ])
  func alwaysOffered(level: String, package: String) throws {
    let targets: [ShareTarget] = [
      ShareTarget(id: package, managed: false), ShareTarget(id: package + ".evil", managed: false),
    ]
    for platform in [DevicePlatform.ios, .android] {
      let document = try PolicyDocument.of(
        "x", platform.policyKind,
        #"{"allowedOutboundDataTransferDestinations": "\#(level)", "filterOpenInToOnlyManagedApps": true}"#)
      let questions = PolicyQuestions(
        policy: CompiledPolicy(merging: [document], platform: platform), account: Self.boss)
      let choice = questions.shareTargets(targets, isMDM: false, in: FixedAccounts.nobody)
      #expect(choice.value.targets.map(\.id) == (platform == .android ? [package] : []))
    }
  }

  @Test("Android offers managed and exempt share targets without encryption at level managedApps")
  func android() throws {
    let exempt = #"\#(Self.managed), "exemptedAppPackages": [{"name": "exempt", "value": "Exempt App"}]"#
    let filtered = try choice(exempt, platform: .android).value
    #expect(filtered.targets.map(\.id) == ["mail", "bosses", "exempt"])
    #expect(!filtered.encrypts)
    let none = try choice(#""allowedOutboundDataTransferDestinations": "none""#, platform: .android).value
    #expect(none.targets.isEmpty)
    #expect(none.encrypts)
  }
}
