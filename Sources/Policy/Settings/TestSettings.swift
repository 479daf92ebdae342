import JSON

/// Settings of a test policy, by the names of Graph or of the SDK with their value forms. Unlike in a tenant's files,
/// whose authors are elsewhere, nothing is passed over: what is not known or does not fit refuses all.
public struct TestSettings: Hashable, Sendable {
  /// Why, and which member.
  public struct Fault: Error, Hashable, Sendable {
    public let member: String
    /// With the member as its subject.
    public let reason: String
  }

  /// What is set, and nothing else.
  package let settings: [SettingName: SettingValue]
  /// As they were given.
  let members: JSONObject

  /// Members that only describe a policy, as an export has them, have no effect.
  package init(_ members: JSONObject) throws(Fault) {
    for name in members.names where !PolicyImport.isKnown(name) { throw Fault(unknown: name) }
    if let twice = members.namedTwice { throw Fault(member: twice, reason: "is the same setting as another one here") }
    let imported = PolicyImport(members, source: "")
    if let warning = imported.warnings.first { throw Fault(member: warning.member ?? "", reason: warning.text) }
    settings = imported.settings
    self.members = members
  }

  /// Of values that fit, under Graph's names.
  package init(_ settings: [SettingName: SettingValue]) {
    self.settings = settings
    let written = settings.compactMap { name, value in
      SettingDefinition.of(name).map { (name.rawValue, $0.write(graph: value)) }
    }
    members = JSONObject(written.sorted { $0.0 < $1.0 })
  }
}

extension TestSettings.Fault {
  private static let names = SettingDefinition.all.filter { !$0.role.isDescription }.flatMap { definition in
    [definition.name.rawValue] + (definition.sdk?.names ?? [])
  }

  fileprivate init(unknown name: String) {
    let nearest = Self.names.nearest(to: name).map { "; did you mean \($0)?" } ?? "; docs/policy-settings.md lists them"
    self.init(member: name, reason: "is no setting of Microsoft Graph or of the SDK" + nearest)
  }
}

extension JSONObject {
  /// The second name of a setting that two members set.
  fileprivate var namedTwice: String? {
    var seen: Set<SettingName> = []
    return members.first { member in
      let definition = SettingDefinition.named(byGraph: member.name) ?? .named(bySDK: member.name)
      guard let definition, !member.value.isNull, member.value != "" else { return false }
      return !seen.insert(definition.name).inserted
    }?.name
  }
}
