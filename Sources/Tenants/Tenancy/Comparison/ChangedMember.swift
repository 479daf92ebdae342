import JSON
import Model
import Policy

/// A member of a tenant's files that differs between the versions, and its place.
package struct ChangedMember: Hashable, Sendable {
  /// Such as `saveAsBlocked`, `assignments` or `customSettings/server`.
  package let member: String
  /// Short JSON; `nil` if the version does not have it, or if it is not told.
  package let old: String?
  package let new: String?
  /// A sentence without a period about what happened, if the values do not say it.
  package let text: String?
  /// In the new version, unless only the old one has the member.
  package let file: String
  package let line: Int?
  package let isInOldVersion: Bool
  /// Whether the values are those of an app configuration.
  package let isConfigured: Bool
}

/// Tells where in two versions of a tenant a change is.
struct ChangeDescriber {
  private let old: ComparedTenant
  private let new: ComparedTenant
  private let oldPolicies: [String: PolicyDocument]
  private let newPolicies: [String: PolicyDocument]
  private let oldConfigurations: [String: ConfigurationDocument]
  private let newConfigurations: [String: ConfigurationDocument]
  private var lines: [String: MemberLines] = [:]

  init(_ old: ComparedTenant, _ new: ComparedTenant) {
    func byID(_ documents: [PolicyDocument]) -> [String: PolicyDocument] {
      Dictionary(documents.map { ($0.id, $0) }) { first, _ in first }
    }
    func byID(_ documents: [ConfigurationDocument]) -> [String: ConfigurationDocument] {
      Dictionary(documents.map { ($0.id, $0) }) { first, _ in first }
    }
    (self.old, self.new) = (old, new)
    (oldPolicies, newPolicies) = (byID(old.tenant.policies), byID(new.tenant.policies))
    (oldConfigurations, newConfigurations) = (byID(old.tenant.configurations), byID(new.tenant.configurations))
  }

  /// `moved` are the groups that the users have left and joined, with one of these users.
  mutating func member(
    of change: ContentChange, _ moved: (moves: GroupMoves, user: TenantUser)? = nil
  ) -> ChangedMember {
    switch change {
    case .setting(let name, let policy): setting(name, policy)
    case .unknown(let name, let policy): unknown(name, policy)
    case .blocking: tenantMember("unknownRestrictions", nil)
    case .kind(let policy):
      policyMember(
        "@odata.type", policy, oldPolicies[policy]?.kind.rawValue,
        newPolicies[policy]?.kind.rawValue)
    case .filter(let policy): policyMember("assignments", policy, text: "the filter of an assignment changed")
    case .policy(let id): targeting(id, oldPolicies[id].map(Targeted.init), newPolicies[id].map(Targeted.init), moved)
    case .configuration(let id, let isDefault):
      isDefault
        ? targeting(id, oldPolicies[id].map(Targeted.init), newPolicies[id].map(Targeted.init), moved)
        : targeting(
          id, oldConfigurations[id].map(Targeted.init), newConfigurations[id].map(Targeted.init), moved)
    case .entry(let name, let id, let isDefault): entry(name, id, isDefault)
    case .deviceEntry(let name):
      place(
        "mdm/appConfig/\(name)", [name, "mdm"], "",
        old: old.tenant.mdm?.appConfig[name].map { JSONValue.string($0).jsonText },
        new: new.tenant.mdm?.appConfig[name].map { JSONValue.string($0).jsonText }, oldFile: MemberReader.file,
        newFile: MemberReader.file, isConfigured: true)
    }
  }

  private mutating func setting(_ name: SettingName, _ policy: String) -> ChangedMember {
    let definition = name.definition
    let values = [oldPolicies[policy], newPolicies[policy]].map { document -> String? in
      guard let document, let value = document.settings[name] else { return nil }
      return definition.write(graph: value, on: document.kind.platforms.first ?? .ios).shortText
    }
    return place(
      name.rawValue, [name.rawValue] + (definition.sdk?.names ?? []), policy, old: values[0], new: values[1],
      oldFile: oldPolicies[policy]?.source, newFile: newPolicies[policy]?.source)
  }

  private mutating func unknown(_ name: String, _ policy: String) -> ChangedMember {
    policyMember(
      name, policy, oldPolicies[policy]?.unknown[name]?.shortText, newPolicies[policy]?.unknown[name]?.shortText)
  }

  private mutating func policyMember(
    _ name: String, _ policy: String, _ before: String? = nil, _ after: String? = nil, text: String? = nil
  ) -> ChangedMember {
    place(
      name, [name], policy, old: before, new: after, text: text, oldFile: oldPolicies[policy]?.source,
      newFile: newPolicies[policy]?.source)
  }

  /// A member of tenant.json or, if an object in it has one of these names, of that object.
  private mutating func tenantMember(
    _ name: String, _ text: String?, _ members: [String] = [], of object: [String] = []
  ) -> ChangedMember {
    let file = MemberReader.file
    for (version, isInOld) in [(new, false), (old, true)] where !object.isEmpty && version.source == nil {
      guard let line = lines(of: file, isInOld: isInOld).line(of: members, inObjectNamed: object) else { continue }
      return ChangedMember(
        member: name, old: nil, new: nil, text: text, file: file, line: line, isInOldVersion: isInOld,
        isConfigured: false)
    }
    return place(name, [name], "", text: text, oldFile: file, newFile: file)
  }

  private mutating func entry(_ name: String, _ id: String, _ isDefault: Bool) -> ChangedMember {
    let entries = [
      isDefault ? oldPolicies[id]?.customSettings : oldConfigurations[id]?.customSettings,
      isDefault ? newPolicies[id]?.customSettings : newConfigurations[id]?.customSettings,
    ]
    let values = entries.map { list in
      list?.first { $0.name == name }.map { JSONValue.string($0.value).jsonText }
    }
    return place(
      "customSettings/\(name)", ["customSettings"], id, old: values[0], new: values[1],
      oldFile: isDefault ? oldPolicies[id]?.source : oldConfigurations[id]?.source,
      newFile: isDefault ? newPolicies[id]?.source : newConfigurations[id]?.source, isConfigured: true)
  }

  /// What decides who gets a document.
  private struct Targeted {
    let name: String
    let source: String
    let targeting: PolicyTargeting
    var isDefault = false

    init(_ policy: PolicyDocument) {
      (name, source, targeting) = (policy.displayName, policy.source, policy.targeting)
      isDefault = policy.kind == .default
    }

    init(_ configuration: ConfigurationDocument) {
      (name, source, targeting) = (configuration.displayName, configuration.source, configuration.targeting)
    }
  }

  /// A document that applies in one version alone.
  private mutating func targeting(
    _ id: String, _ before: Targeted?, _ after: Targeted?, _ moved: (moves: GroupMoves, user: TenantUser)?
  ) -> ChangedMember {
    guard let before, let after else {
      let name = (before ?? after)?.name ?? id
      let text = before == nil ? "\"\(name)\" was added" : "\"\(name)\" was removed"
      return place("id", ["id"], id, text: text, oldFile: before?.source, newFile: after?.source)
    }
    func assignments(_ tenant: TenantSnapshot, _ file: String) -> [TenantAssignment] {
      tenant.assignments.filter { $0.file == file }
    }
    let oldAssigned = assignments(old.tenant, before.source)
    let newAssigned = assignments(new.tenant, after.source)
    if oldAssigned.map(\.groups) != newAssigned.map(\.groups) || oldAssigned.map(\.apps) != newAssigned.map(\.apps) {
      return tenantMember(
        "assignments", Self.text(of: oldAssigned.flatMap(\.groups), newAssigned.flatMap(\.groups), after.name),
        ["groups", "apps", "policy"], of: [after.source])
    }
    let (was, now) = (before.targeting, after.targeting)
    let members: [(String, Bool)] = [
      ("assignments", was.assignments != now.assignments), ("apps", was.apps != now.apps),
      ("appGroupType", was.appGroupType != now.appGroupType),
      ("targetedAppManagementLevels", was.managementLevels != now.managementLevels),
    ]
    guard let changed = members.first(where: \.1)?.0 else { return standing(id, after, newAssigned, moved) }
    let text =
      changed == "assignments"
      ? Self.text(of: was.groups, now.groups, after.name) : "\"\(after.name)\" is for others than before"
    return place(changed, [changed], id, text: text, oldFile: before.source, newFile: after.source)
  }

  /// A document whose targeting is the same in both versions: something else decides otherwise to whom it applies.
  private mutating func standing(
    _ id: String, _ document: Targeted, _ assigned: [TenantAssignment], _ moved: (moves: GroupMoves, user: TenantUser)?
  ) -> ChangedMember {
    if let moved {
      func named(_ groups: [String]) -> [String] {
        groups.filter { document.targeting.names($0, besides: assigned) }.map { group in
          moved.user.groups.first { $0.lowercasedASCII == group } ?? old.spelling(of: group)
        }
      }
      let (left, joined) = (named(moved.moves.left), named(moved.moves.joined))
      if !left.isEmpty || !joined.isEmpty {
        let text = [("left", left), ("joined", joined)].filter { !$0.1.isEmpty }.map { verb, groups in
          "\(verb) the group \(groups.map { "\"\($0)\"" }.briefly)"
        }.joined(separator: " and ")
        return tenantMember("groups", text, ["groups"], of: [moved.user.id, moved.user.userPrincipalName])
      }
    }
    if let filter = changedFilter(of: document.targeting) {
      return place(
        "rule", ["rule"], filter, text: "the filter of an assignment of \"\(document.name)\" changed",
        oldFile: old.tenant.filters[filter]?.source, newFile: new.tenant.filters[filter]?.source)
    }
    if document.isDefault {
      let text = "\"\(document.name)\" is a default policy: it applies only where no targeted policy does"
      return place("id", ["id"], id, text: text, oldFile: nil, newFile: document.source)
    }
    let isManaged = old.tenant.mdm != new.tenant.mdm
    return tenantMember(
      isManaged ? "mdm" : "users",
      isManaged
        ? "the management of the device changed for \"\(document.name)\""
        : "the users changed for \"\(document.name)\"")
  }

  /// The id of a filter of these assignments that the versions have with another rule.
  private func changedFilter(of targeting: PolicyTargeting) -> String? {
    (targeting.assignments ?? []).compactMap(\.filter?.id).first { id in
      let (before, after) = (old.tenant.filters[id], new.tenant.filters[id])
      return (before == nil) != (after == nil) || (try? before?.rule.get()) != (try? after?.rule.get())
    }
  }

  private static func text(of old: [String], _ new: [String], _ policy: String) -> String {
    func quoted(_ groups: [String]) -> String { groups.map { "\"\($0)\"" }.briefly }
    let removed = old.filter { !new.contains($0) }
    let added = new.filter { !old.contains($0) }
    let parts = [
      removed.isEmpty ? nil : "group \(quoted(removed)) is no longer assigned \"\(policy)\"",
      added.isEmpty ? nil : "group \(quoted(added)) is now assigned \"\(policy)\"",
    ].compactMap(\.self)
    return parts.isEmpty ? "the assignments of \"\(policy)\" changed" : parts.joined(separator: "; ")
  }

  private mutating func place(
    _ member: String, _ names: [String], _ id: String, old before: String? = nil, new after: String? = nil,
    text: String? = nil, oldFile: String?, newFile: String?, isConfigured: Bool = false
  ) -> ChangedMember {
    var (file, isInOld) = (newFile ?? oldFile ?? "", newFile == nil)
    var line = newFile.flatMap { self.line(of: names, id, $0, isInOld: false) }
    if line == nil, let oldFile, let found = self.line(of: names, id, oldFile, isInOld: true) {
      (file, line, isInOld) = (oldFile, found, true)
    }
    // The files of a pulled version are gone: its address says where it is.
    if line == nil, let source = (isInOld ? old : new).source { file = source.address }
    return ChangedMember(
      member: member, old: before, new: after, text: text, file: file, line: line, isInOldVersion: isInOld,
      isConfigured: isConfigured)
  }

  private mutating func line(of names: [String], _ id: String, _ file: String, isInOld: Bool) -> Int? {
    lines(of: file, isInOld: isInOld).line(of: names, inObject: id)
  }

  private mutating func lines(of file: String, isInOld: Bool) -> MemberLines {
    let key = (isInOld ? "-" : "+") + file
    if let known = lines[key] { return known }
    let found = MemberLines((isInOld ? old : new).text(file) ?? [])
    lines[key] = found
    return found
  }
}

extension PolicyTargeting {
  /// The groups that assignments include, and those that they exclude.
  fileprivate var groups: [String] {
    (assignments ?? []).map { assignment in
      switch assignment.target {
      case .everybody: "*"
      case .group(let name): name
      case .exclusionGroup(let name): "not \(name)"
      }
    }
  }
}

extension ComparedTenant {
  /// A group as a document writes it, whose name is given in lower case.
  fileprivate func spelling(of group: String) -> String {
    let own = (tenant.policies.map(\.targeting) + tenant.configurations.map(\.targeting)).lazy.flatMap(\.groupNames)
    return (tenant.assignments.lazy.flatMap(\.groups).first { $0.lowercasedASCII == group })
      ?? own.first { $0.lowercasedASCII == group } ?? group
  }
}

extension PolicyTargeting {
  fileprivate var groupNames: [String] {
    (assignments ?? []).compactMap { assignment in
      switch assignment.target {
      case .everybody: nil
      case .group(let name), .exclusionGroup(let name): name
      }
    }
  }
}
