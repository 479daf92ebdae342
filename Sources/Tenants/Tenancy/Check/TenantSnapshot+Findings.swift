import Model
import Policy

/// Parts of the tenant that do not fit together.
extension TenantSnapshot {
  private static let file = "tenant.json"

  /// Two assignments of one file that have groups and apps in common.
  var assignmentFindings: [TenantFinding] {
    var earlier: [String: [(place: Int, audience: AssignmentAudience)]] = [:]
    return assignments.enumerated().flatMap { second, assignment -> [TenantFinding] in
      let audience = AssignmentAudience(assignment)
      let overlapping = (earlier[assignment.file] ?? []).filter { $0.audience.overlaps(audience) }
      earlier[assignment.file, default: []].append((second, audience))
      return overlapping.map { first in
        TenantFinding(
          .overlappingAssignments, Self.file, member: "assignments/\(second)",
          text: "assigns \(assignment.file) to some of the same groups and apps as assignments/\(first.place)")
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
    var known: Set<String> = []
    for user in users { for group in user.groups { known.insert(group.lowercasedASCII) } }
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
    return users.compactMap { user in
      guard !user.isDeleted else { return nil }
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
    guard !named.isEmpty else { return [] }
    var listed: Set<String> = []
    for user in users { listed.formUnion([user.id.lowercasedASCII, user.userPrincipalName.lowercasedASCII]) }
    return named.filter { $0.1.kind == .noUser || !listed.contains($0.1.key) }.map { member, user, hint in
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
}

extension [KeyValuePair] {
  /// The keys that steer the SDK, but not from this channel.
  fileprivate func misplaced(in channel: ConfigChannel) -> [SteeringKey] {
    SteeringKey.allCases.filter { key in key.channel != channel && contains { $0.name == key.rawValue } }
  }
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

/// The groups and apps of an assignment, in lower case.
private struct AssignmentAudience {
  let groups: Set<String>
  let apps: Set<String>

  init(_ assignment: TenantAssignment) {
    groups = Set(assignment.groups.map(\.lowercasedASCII))
    apps = Set(assignment.apps.map(\.lowercasedASCII))
  }

  func overlaps(_ other: AssignmentAudience) -> Bool {
    Self.overlap(groups, other.groups) && Self.overlap(apps, other.apps)
  }

  private static func overlap(_ some: Set<String>, _ others: Set<String>) -> Bool {
    guard !some.isEmpty, !others.isEmpty else { return false }
    return some.contains("*") || others.contains("*") || !some.isDisjoint(with: others)
  }
}
