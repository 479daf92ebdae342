import Testing

@testable import Model
@testable import Policy

/// That a setting which claims to decide changes an answer, and not only what is shown of the policy.
@Suite struct SettingEffectTests {
  @Test(
    "Every setting with an effect has one test case for it, and other settings have none",
    arguments: SettingName.allCases)
  func completeness(_ name: SettingName) throws {
    let decides = name.definition.role.decides
    #expect(SettingEffect.all.filter { $0.name == name }.count == (decides ? 1 : 0))
  }

  @Test("Two values of each setting with an effect give different answers", arguments: SettingEffect.all)
  func difference(_ effect: SettingEffect) throws {
    let platform = try #require(effect.name.definition.firstPlatform)
    let answers = try effect.values.map { value in
      let members = ["\"\(effect.name.rawValue)\": \(value)", effect.others].filter { !$0.isEmpty }
      let document = try PolicyDocument.of("x", platform.policyKind, "{\(members.joined(separator: ", "))}")
      let policy = CompiledPolicy(merging: [document], platform: platform)
      return PolicyAnswers(try #require(policy)).texts
    }
    #expect(answers[0].count > 80)
    #expect(answers[0] != answers[1])
  }
}

extension SettingDefinition {
  /// The first platform whose policies have the setting.
  var firstPlatform: DevicePlatform? { DevicePlatform.allCases.first { kinds.contains($0.policyKind) } }
}
