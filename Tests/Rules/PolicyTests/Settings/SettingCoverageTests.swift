import JSON
import TestSupport
import Testing

@testable import Model
@testable import Policy

/// That every setting which claims to decide has a say, and every other one has none.
///
/// What a policy decides is what it is compiled to, so a setting has a say when changing it alone, in some policy,
/// changes that. `SettingEffectTests` has for each one an answer that it changes.
@Suite struct SettingCoverageTests {
  private static let contexts = 1...40

  @Test(
    "A setting changes the compiled policy if and only if it is documented to have an effect",
    arguments: SettingDefinition.all.filter { !$0.role.isDescription }.map(\.name))
  func say(of name: SettingName) throws {
    let definition = name.definition
    let hasSay = Self.contexts.contains { changes(definition, seed: UInt64($0)) }
    #expect(hasSay == definition.role.decides, "\(name): \(definition.role.text)")
  }

  /// Whether two policies that differ in this setting alone are compiled to something else.
  private func changes(_ definition: SettingDefinition, seed: UInt64) -> Bool {
    var random = SeededGenerator(state: seed)
    guard let platform = definition.firstPlatform else { return false }
    let kind = platform.policyKind
    var members = JSONObject()
    for other in SettingDefinition.all where other.kinds.contains(kind) && !other.role.isDescription {
      members[other.name.rawValue] = other.type.random(&random)
    }
    var forms: Set<String> = []
    for value in [.null] + (0..<4).map({ _ in definition.type.random(&random) }) {
      members[definition.name.rawValue] = value
      forms.insert(compiledForm(members, platform))
    }
    return forms.count > 1
  }

  /// All that a policy is compiled to, but what it was compiled from and the words of explanations.
  private func compiledForm(_ members: JSONObject, _ platform: DevicePlatform) -> String {
    var warnings: [PolicyWarning] = []
    let document = PolicyDocument(
      unchecked: members, kind: platform.policyKind, source: "x", fallbackID: "x", warnings: &warnings)
    guard let policy = CompiledPolicy(merging: [document], platform: platform) else { return "" }
    let parts = Mirror(reflecting: policy).children.filter { $0.label != "effective" && $0.label != "words" }
    return parts.map { "\($0.label ?? ""): \(canonicalForm(of: $0.value))" }.joined(separator: "\n")
  }

  /// Sets and dictionaries have no order.
  private func canonicalForm(of value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    guard !mirror.children.isEmpty else { return "\(value)" }
    let parts = mirror.children.map { "\($0.label ?? "")=\(canonicalForm(of: $0.value))" }
    let isUnordered = mirror.displayStyle == .set || mirror.displayStyle == .dictionary
    return "\(mirror.subjectType)(\((isUnordered ? parts.sorted() : parts).joined(separator: ", ")))"
  }
}
