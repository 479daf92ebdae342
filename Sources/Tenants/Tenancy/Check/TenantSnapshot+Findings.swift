import Model
import Policy

/// Parts of the tenant that do not fit together.
extension TenantSnapshot {
  private static let file = "tenant.json"

  /// Two assignments of one file that have groups and apps in common.
  var assignmentFindings: [TenantFinding] {
    assignments.indices.flatMap { second in
      assignments[..<second].indices.compactMap { first in
        guard assignments[first].overlaps(assignments[second]) else { return nil }
        return TenantFinding(
          .overlappingAssignments, Self.file, member: "assignments/\(second)",
          text: "assigns \(assignments[second].file) to some of the same groups and apps as assignments/\(first)")
      }
    }
  }

  /// Keys that steer the SDK, in the channel that does not count.
  var channelFindings: [TenantFinding] {
    let inConfigurations = configurations.flatMap { configuration in
      configuration.customSettings.misplaced(in: .managedApps).map { key in
        TenantFinding(
          .keyInWrongChannel, configuration.source, policy: configuration.id, member: key.rawValue,
          text: "has no effect in a configuration for managed apps; only the management of the device delivers it "
            + "(mdm/appConfig in tenant.json)")
      }
    }
    let inDefaults = policies.flatMap { policy in
      policy.customSettings.misplaced(in: .managedApps).map { key in
        TenantFinding(
          .keyInWrongChannel, policy.source, policy: policy.id, member: key.rawValue,
          text: "has no effect in a default policy; only the management of the device delivers it (mdm/appConfig in "
            + "tenant.json)")
      }
    }
    let device = (mdm?.appConfig ?? [:]).map { KeyValuePair(name: $0.key, value: $0.value) }
    let inDevice = device.misplaced(in: .managedDevices).map { key in
      TenantFinding(
        .keyInWrongChannel, Self.file, member: "mdm/appConfig/\(key.rawValue)",
        text: "has no effect in the configuration of the device's management; set it in a configuration for managed "
          + "apps (configurations/)")
    }
    return inConfigurations + inDefaults + inDevice
  }

  /// Groups without users, and users that the tenant does not list.
  var nameFindings: [TenantFinding] {
    let known = Set(users.flatMap(\.groups).map(\.lowercasedASCII))
    func unknown(_ groups: [String], _ file: String, _ policy: String?, _ member: String) -> [TenantFinding] {
      groups.filter { $0 != "*" && !known.contains($0.lowercasedASCII) }.map { group in
        TenantFinding(.unknownGroup, file, policy: policy, member: member, text: "no user is in the group \(group)")
      }
    }
    let assigned = Set(assignments.map(\.file))
    let inFile = assignments.enumerated().flatMap { unknown($1.groups, Self.file, nil, "assignments/\($0)/groups") }
    let inPolicies = policies.filter { !assigned.contains($0.source) }.flatMap { policy in
      unknown(policy.targeting.groups, policy.source, policy.id, "assignments")
    }
    let inConfigurations = configurations.filter { !assigned.contains($0.source) }.flatMap { configuration in
      unknown(configuration.targeting.groups, configuration.source, configuration.id, "assignments")
    }
    return inFile + inPolicies + inConfigurations + userFindings + sharedNameFindings
  }

  /// A deleted user may have left the name to another one.
  private var sharedNameFindings: [TenantFinding] {
    var first: [String: String] = [:]
    return users.filter { !$0.isDeleted }.compactMap { user in
      let name = user.userPrincipalName.lowercasedASCII
      guard let other = first[name] else {
        first[name] = user.id
        return nil
      }
      return TenantFinding(
        .sharedName, Self.file, member: "users",
        text: "\(user.userPrincipalName) is the name of \(other) and of \(user.id), and finds only \(other). "
          + "Remove one, or say which is deleted.")
    }
  }

  private var userFindings: [TenantFinding] {
    let named =
      operations.enumerated().map { ("operations/\($0)/user", $1.user, Self.hint(to: $1.user)) }
      + (mdm.map { [("mdm/user", $0.user, "")] } ?? [])
      + (allowedAccounts ?? []).enumerated().map { ("allowedAccounts/\($0)", $1, "") }
    return named.filter { user(for: $0.1) == nil }.map { member, user, hint in
      let text = "the tenant does not list the user \(user.text)\(hint)"
      return TenantFinding(.unknownUser, Self.file, member: member, text: text)
    }
  }

  /// What becomes of an operation for a user who is not listed.
  private static func hint(to user: AccountReference) -> String {
    user.kind == .objectId
      ? "; only a tenant service wipes the data of a user who has left"
      : "; nobody carries out the operation. For a user who has left, write the object id"
  }

  /// Policies that nobody gets, users who get none, and policies that are merged.
  func targetingFindings(_ shares: [TenantShare]) -> [TenantFinding] {
    let managed = Set(shares.filter { !$0.policies.isEmpty }.map(\.user.id))
    let entitled = shares.filter { $0.obstacle == nil }
    let without = users.filter { user in
      !managed.contains(user.id) && entitled.contains { $0.user.id == user.id }
    }
    return merged(shares) + policiesForNobody(shares)
      + without.map { user in
        TenantFinding(
          .userWithoutPolicy, Self.file, member: "users", text: "\(user.userPrincipalName) gets no policy in any app")
      }
  }

  private func merged(_ shares: [TenantShare]) -> [TenantFinding] {
    var order: [[String]] = []
    var users: [[String]: [String]] = [:]
    for share in shares where share.policies.count > 1 {
      let ids = share.policies.map(\.id)
      if users[ids] == nil { order.append(ids) }
      if users[ids]?.last != share.user.userPrincipalName {
        users[ids, default: []].append(share.user.userPrincipalName)
      }
    }
    return order.map { ids in
      let sources = Set(policies.filter { ids.contains($0.id) }.map(\.source)).sorted().joined(separator: ", ")
      return TenantFinding(
        .mergedPolicies, sources,
        text: "the policies \(ids.joined(separator: ", ")) are merged for \((users[ids] ?? []).briefly)")
    }
  }

  private func policiesForNobody(_ shares: [TenantShare]) -> [TenantFinding] {
    var reasons: [String: [TargetingReason]] = [:]
    for share in shares where share.obstacle == nil {
      for considered in share.targeting.considered where considered.reason != .otherPlatform {
        reasons[considered.policyID, default: []].append(considered.reason)
      }
    }
    let sources = policies.map { ($0.id, $0.source) } + configurations.map { ($0.id, $0.source) }
    // A hidden default policy still provides its app configuration.
    let used = Set(policies.filter { !$0.customSettings.isEmpty }.map(\.id))
    return sources.compactMap { id, source in
      let found = reasons[id] ?? []
      guard !found.contains(where: { $0.isApplied || $0 == .hiddenByTargeted && used.contains(id) }) else {
        return nil
      }
      let why = found.min { $0.nearness > $1.nearness }.map { "it \($0.text)" } ?? "no user can get a policy"
      return TenantFinding(.policyForNobody, source, policy: id, text: "applies to nobody, because \(why)")
    }
  }
}

extension [KeyValuePair] {
  /// The keys that steer the SDK, but not from this channel.
  fileprivate func misplaced(in channel: ConfigChannel) -> [SteeringKey] {
    SteeringKey.allCases.filter { key in key.channel != channel && contains { $0.name == key.rawValue } }
  }
}

extension TargetingReason {
  /// How close the policy came to applying.
  fileprivate var nearness: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

extension PolicyTargeting {
  fileprivate var groups: [String] {
    (assignments ?? []).compactMap { assignment in
      switch assignment.target {
      case .everybody: nil
      case .group(let name), .exclusionGroup(let name): name
      }
    }
  }
}

extension TenantAssignment {
  fileprivate func overlaps(_ other: TenantAssignment) -> Bool {
    file == other.file && groups.overlap(other.groups) && apps.overlap(other.apps)
  }
}

extension [String] {
  fileprivate func overlap(_ others: [String]) -> Bool {
    let mine = Set(map(\.lowercasedASCII))
    guard !isEmpty, !others.isEmpty else { return false }
    return mine.contains("*") || others.contains { $0 == "*" || mine.contains($0.lowercasedASCII) }
  }

  /// The first three, and the number of the rest.
  fileprivate var briefly: String {
    prefix(3).joined(separator: ", ") + (count > 3 ? " and \(count - 3) more" : "")
  }
}
