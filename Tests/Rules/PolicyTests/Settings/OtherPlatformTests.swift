import JSON
import TestSupport
import Testing

@testable import Model
@testable import Policy

/// Settings of another platform in a policy.
@Suite struct OtherPlatformTests {
  private static let kinds: [PolicyKind] = [.ios, .android, .windows]

  @Test("A setting of another platform has no effect in a policy and causes a warning", arguments: kinds)
  func foreign(kind: PolicyKind) throws {
    var random = SeededGenerator(state: 7)
    for definition in SettingDefinition.all where !definition.role.isDescription && !definition.kinds.contains(kind) {
      let name = definition.name.rawValue
      var value = definition.type.random(&random)
      while value.isNull || value == "" { value = definition.type.random(&random) }
      let imported = PolicyImport([name: value], source: "x", kind: kind)
      #expect(imported.settings.isEmpty, "\(name)")
      #expect(imported.warnings.map(\.kind) == [.otherPlatform], "\(name)")
      #expect(imported.warnings.first?.text.contains("has no effect") == true)
      #expect(PolicyImport([name: .null], source: "x", kind: kind).warnings.isEmpty)
    }
  }

  @Test(
    "A setting of another platform has no effect under its SDK name either",
    arguments: [("restrictScreenshots", PolicyKind.ios), ("FaceIDEnabled", .android)])
  func sdkName(name: String, kind: PolicyKind) throws {
    let imported = PolicyImport([name: true], source: "x", kind: kind)
    #expect(imported.settings.isEmpty)
    #expect(imported.warnings.map(\.kind) == [.otherPlatform])
  }

  @Test("A policy dumped from a device ignores settings of other platforms")
  func dump() throws {
    var warnings: [PolicyWarning] = []
    let members: JSONObject = ["PINEnabled": true, "restrictScreenshots": true]
    let dump = try PolicyDocument(
      device: ["IntuneMAMPolicies": .object(members)], source: "x", fallbackID: "x", warnings: &warnings)
    #expect(dump.kind == .ios)
    #expect(dump.settings.map(\.key) == [.pinRequired])
    #expect(warnings.map(\.kind) == [.otherPlatform])
  }

  @Test("Each setting of a default policy applies only on the platform that has it")
  func mixed() throws {
    let text = #"{"encryptAppData": true, "appDataEncryptionType": "useDeviceSettings", "keyboardsRestricted": true}"#
    let document = try PolicyDocument.of("x", .default, text)
    for platform in [DevicePlatform.ios, .android] {
      let policy = try #require(CompiledPolicy(merging: [document], platform: platform))
      let questions = PolicyQuestions(policy: policy, account: "alice@contoso.example")
      #expect(questions.isFileEncryptionRequired.value == (platform == .android))
      #expect(policy.encryptsAppData == (platform == .android))
    }
  }

  @Test("A setting of another platform that an earlier version stored has no effect")
  func storedBefore() throws {
    let document = PolicyDocument(
      id: "x", kind: .ios, source: "x", settings: [.encryptAppData: .bool(true), .deviceLockRequired: .bool(true)])
    let policy = try #require(CompiledPolicy(merging: [document], platform: .ios))
    #expect(
      !policy.encryptsAppData && policy.launch.rules.isEmpty && policy.effective.value(of: .encryptAppData) == nil)
  }
}
