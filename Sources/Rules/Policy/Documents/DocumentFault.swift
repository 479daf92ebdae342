import JSON
import Model

/// Why an object of a policy source cannot be applied: it says nothing, or nobody can tell what it says. The last good
/// policies stay in force then, because a policy is never loosened by what is missing or not understood.
package struct DocumentFault: Error, Hashable, Sendable {
  /// A sentence about the object, or a member and a predicate of it.
  package let reason: String

  package init(_ reason: String) {
    self.reason = reason
  }

  package init(_ member: String, _ complaint: String) {
    self.init("\(member): \(complaint)")
  }
}

extension PolicyImport {
  /// Throws unless the members are those of a policy of this kind: at least one setting, and values that can be read of
  /// all that decide.
  func check(as kind: PolicyKind) throws(DocumentFault) {
    try checkSpelling { $0.matters(in: kind) }
    try checkValues { $0.matters(in: kind) }
    guard members.contains(where: { $0.isSetting && $0.kinds.contains(kind) }) else {
      throw nothing("no setting of \(kind.typeName)")
    }
  }

  /// Throws unless the members are those of an app configuration.
  func checkConfiguration() throws(DocumentFault) {
    func matters(_ definition: SettingDefinition) -> Bool { definition.name == .customSettings || definition.targets }
    try checkSpelling(where: matters)
    try checkValues(where: matters)
    let names = [SettingName.customSettings.rawValue, "settings"]
    guard names.contains(where: { members[$0].map { !$0.isNull } ?? false }) else {
      throw nothing("no customSettings")
    }
  }

  /// Throws unless the members are those of a dictionary that a device stores.
  func checkDevice() throws(DocumentFault) {
    try checkValues { $0.role.decides }
    guard members.contains(where: \.isSetting) else { throw nothing("no setting in IntuneMAMPolicies") }
  }

  /// A name that differs from a member's only in case means that member, which Graph would not know by this name.
  private func checkSpelling(where matters: (SettingDefinition) -> Bool) throws(DocumentFault) {
    for member in members.members where !member.value.isNull && !Self.isKnown(member.name) {
      guard let meant = SettingDefinition.named(likeGraph: member.name), matters(meant) else { continue }
      throw DocumentFault(member.name, "is not known; did you mean \(meant.name.rawValue)?")
    }
  }

  private func checkValues(where matters: (SettingDefinition) -> Bool) throws(DocumentFault) {
    guard let misfit = misfits.first(where: { matters($0.definition) }) else { return }
    throw DocumentFault(misfit.member, misfit.complaint)
  }

  /// `what` is missing.
  private func nothing(_ what: String) -> DocumentFault {
    let hint = members.names.lazy.filter { !Self.isKnown($0) }.compactMap { name in
      SettingDefinition.nearest(to: name).map { "; \(name) is not known, did you mean \($0)?" }
    }.first
    return DocumentFault("the object says nothing: it has \(what)\(hint ?? "")")
  }
}

extension SettingDefinition {
  private static let settingNames = all.filter(\.isSetting).map(\.name.rawValue)

  /// The setting whose name is nearest to a misspelled one.
  fileprivate static func nearest(to name: String) -> String? { settingNames.nearest(to: name) }

  /// Whether the member says something besides who the policy is and whom it is for.
  fileprivate var isSetting: Bool { !role.isDescription || name == .customSettings }

  /// Whether the member decides who gets a policy.
  var targets: Bool {
    [.apps, .assignments, .appGroupType, .targetedAppManagementLevels].contains(name)
  }

  /// Whether a policy of this kind cannot be applied as long as the member cannot be read.
  fileprivate func matters(in kind: PolicyKind) -> Bool {
    targets || kinds.contains(kind) && (role.decides || name == .customSettings)
  }
}

extension JSONObject {
  /// Whether a member that is not null has Graph's or the SDK's name of a setting.
  fileprivate func contains(where matches: (SettingDefinition) -> Bool) -> Bool {
    members.contains { member in
      let definition = SettingDefinition.named(byGraph: member.name) ?? .named(bySDK: member.name)
      return !member.value.isNull && member.value != "" && definition.map(matches) ?? false
    }
  }
}

extension PolicyKind {
  /// The name of the type in Graph, without `microsoft.graph.`.
  package var typeName: String { "\(rawValue)ManagedAppProtection" }
}
