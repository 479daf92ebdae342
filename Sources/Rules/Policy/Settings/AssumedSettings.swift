import JSON
import Model

/// Settings that a question assumes, in place of those that are in force. Read like a test policy, so an unknown name or
/// a wrong value is an error.
package struct AssumedSettings: Hashable, Sendable {
  /// Nil stands for a setting that is not set.
  package typealias Values = [SettingName: SettingValue?]

  /// The values in a policy for phones and for Windows, which have other words for some settings, or why a member does not
  /// fit there.
  private let forPhones, forWindows: Result<Values, TestSettings.Fault>
  /// The members as the caller gave them.
  private let members: JSONObject

  package init(_ values: Values = [:]) {
    (forPhones, forWindows) = (.success(values), .success(values))
    members = JSONObject(
      values.map { name, value in (name.rawValue, value.map(name.definition.write(graph:)) ?? .null) }
        .sorted { $0.0 < $1.0 })
  }

  /// Members that only describe a policy have no effect. Throws if the members fit no policy.
  package init(_ members: JSONObject) throws(TestSettings.Fault) {
    self.members = members
    forPhones = Result { () throws(TestSettings.Fault) in try Self.values(members) }
    forWindows = Result { () throws(TestSettings.Fault) in try Self.valuesOnWindows(members) }
    if case .failure = forWindows { _ = try forPhones.get() }
  }

  package func values(on platform: DevicePlatform) throws(TestSettings.Fault) -> Values {
    try (platform == .windows ? forWindows : forPhones).get()
  }

  private static func values(_ members: JSONObject) throws(TestSettings.Fault) -> Values {
    let given = try TestSettings(members).settings
    let named = members.members.compactMap { member in
      (SettingDefinition.named(byGraph: member.name) ?? .named(bySDK: member.name))?.name
    }
    var values: Values = [:]
    for name in named where !name.definition.role.isDescription { values.updateValue(nil, forKey: name) }
    for (name, value) in given { values.updateValue(value, forKey: name) }
    return values
  }

  private static func valuesOnWindows(_ members: JSONObject) throws(TestSettings.Fault) -> Values {
    func ownWords(_ member: JSONObject.Member) -> SettingDefinition? {
      SettingDefinition.named(byGraph: member.name).flatMap { WindowsForm.words(of: $0.name) == nil ? nil : $0 }
    }
    let rest = members.members.filter { ownWords($0) == nil }
    var values = try values(JSONObject(rest.map { ($0.name, $0.value) }))
    for member in members.members {
      guard let definition = ownWords(member) else { continue }
      let reading = definition.read(graph: member.value, in: .windows)
      if let complaint = reading.complaint { throw TestSettings.Fault(member: member.name, reason: complaint) }
      values.updateValue(reading.value, forKey: definition.name)
    }
    return values
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
  package func assuming(_ assumed: AssumedSettings.Values) -> EffectivePolicy {
    var policy = self
    for (name, value) in assumed where name.definition.kinds.contains(platform.policyKind) {
      policy.settings[name] = value.map { Setting(value: $0, policyID: Self.assumedID) }
    }
    return policy
  }
}

extension CompiledPolicy {
  /// The policy with other values; without a policy, one with these settings alone.
  package static func assuming(
    _ assumed: AssumedSettings, in policy: CompiledPolicy?, on platform: DevicePlatform
  ) throws(TestSettings.Fault) -> CompiledPolicy? {
    let assumed = try assumed.values(on: policy?.effective.platform ?? platform)
    if let policy { return CompiledPolicy(policy.effective.assuming(assumed)) }
    let document = PolicyDocument(id: EffectivePolicy.assumedID, displayName: "Assumed policy", kind: .default)
    return EffectivePolicy(merging: [document], platform: platform).map { CompiledPolicy($0.assuming(assumed)) }
  }
}
