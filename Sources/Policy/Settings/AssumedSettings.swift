import JSON
import Model

/// Settings that a question assumes, in place of those that are in force. Read like a test policy, so an unknown name or
/// a wrong value is an error.
package struct AssumedSettings: Hashable, Sendable {
  /// Nil stands for a setting that is not set.
  package let values: [SettingName: SettingValue?]
  /// The members as the caller gave them.
  private let members: JSONObject

  package init(_ values: [SettingName: SettingValue?] = [:]) {
    self.values = values
    members = JSONObject(
      values.map { name, value in (name.rawValue, value.map(name.definition.write(graph:)) ?? .null) }
        .sorted { $0.0 < $1.0 })
  }

  /// Members that only describe a policy have no effect.
  package init(_ members: JSONObject) throws(TestSettings.Fault) {
    let given = try TestSettings(members).settings
    let named = members.members.compactMap { member in
      (SettingDefinition.named(byGraph: member.name) ?? .named(bySDK: member.name))?.name
    }
    var values: [SettingName: SettingValue?] = [:]
    for name in named where !name.definition.role.isDescription { values.updateValue(nil, forKey: name) }
    for (name, value) in given { values.updateValue(value, forKey: name) }
    self.values = values
    self.members = members
  }
}

extension AssumedSettings: FieldValue {
  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> AssumedSettings {
    guard let object = node.value.objectValue else { throw .wrongType(expected: "an object", node) }
    do throws(TestSettings.Fault) {
      return try AssumedSettings(object)
    } catch {
      throw JSONDecodingError(.invalid(error.reason)).inside(error.member)
    }
  }

  package func encode(to writer: inout JSONWriter) { members.encode(to: &writer) }

  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    TestSettings.schema(in: &components)
  }
}

/// Policies under an assumption.
extension EffectivePolicy {
  /// Stands for the origin of an assumed value.
  package static let assumedID = "assumption"

  /// The same policy with other values. Settings that policies for the platform do not have are left out.
  package func assuming(_ assumed: AssumedSettings) -> EffectivePolicy {
    var policy = self
    for (name, value) in assumed.values where name.definition.kinds.contains(platform.policyKind) {
      policy.settings[name] = value.map { Setting(value: $0, policyID: Self.assumedID) }
    }
    return policy
  }
}

extension CompiledPolicy {
  /// The policy with other values; without a policy, one with these settings alone.
  package static func assuming(
    _ assumed: AssumedSettings, in policy: CompiledPolicy?, on platform: DevicePlatform
  ) -> CompiledPolicy? {
    if let policy { return CompiledPolicy(policy.effective.assuming(assumed)) }
    let document = PolicyDocument(id: EffectivePolicy.assumedID, displayName: "Assumed policy", kind: .default)
    return EffectivePolicy(merging: [document], platform: platform).map { CompiledPolicy($0.assuming(assumed)) }
  }
}
