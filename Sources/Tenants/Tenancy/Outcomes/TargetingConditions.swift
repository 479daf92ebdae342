import Model
import Policy

/// A part of a document's targeting that some group or some app meets: an assignment in tenant.json, the document's own
/// assignments of one kind, or its list of apps.
struct TargetingCondition: Hashable, Comparable, Sendable {
  let document: Int
  let part: Int

  static func < (left: Self, right: Self) -> Bool {
    (left.document, left.part) < (right.document, right.part)
  }
}

/// All that targeting looks at in the groups of a user and in the name of an app. Users who meet the same conditions get
/// the same in every app, and apps that meet the same conditions give the same to every user.
///
/// A document is a number: first the policies of the tenant, then its configurations.
struct TargetingConditions: Sendable {
  private struct OwnPart: Hashable {
    let excludes: Bool
    let filter: FilterReference?
  }

  private var ofGroups: [String: [TargetingCondition]] = [:]
  private var ofApps: [String: [TargetingCondition]] = [:]
  /// Whether a document is for a group of Microsoft's apps, which names of apps decide.
  private(set) var isForMicrosofts: [Bool] = []

  init(of tenant: TenantSnapshot, assignments: [String: [TenantAssignment]]) {
    let documents =
      tenant.policies.map { ($0.source, $0.targeting) } + tenant.configurations.map { ($0.source, $0.targeting) }
    for (number, (source, targeting)) in documents.enumerated() {
      let assigned = assignments[source]
      isForMicrosofts.append(assigned == nil && targeting.appGroupType?.isMicrosofts ?? false)
      if let assigned { add(assigned, to: number) } else { add(own: targeting, to: number) }
    }
  }

  /// "*" is met by everybody and by every app.
  private mutating func add(_ assignments: [TenantAssignment], to document: Int) {
    for (part, assignment) in assignments.enumerated() {
      let condition = TargetingCondition(document: document, part: part)
      for group in assignment.groups where group != "*" {
        ofGroups[group.lowercasedASCII, default: []].append(condition)
      }
      for app in assignment.apps where app != "*" { ofApps[app.lowercasedASCII, default: []].append(condition) }
    }
  }

  private mutating func add(own targeting: PolicyTargeting, to document: Int) {
    var parts: [OwnPart: Int] = [:]
    for assignment in targeting.assignments ?? [] {
      let (group, excludes): (String, Bool)
      switch assignment.target {
      case .everybody: continue
      case .group(let name): (group, excludes) = (name, false)
      case .exclusionGroup(let name): (group, excludes) = (name, true)
      }
      let own = OwnPart(excludes: excludes, filter: excludes ? nil : assignment.filter)
      let part = parts[own] ?? parts.count
      parts[own] = part
      let condition = TargetingCondition(document: document, part: part)
      ofGroups[group.lowercasedASCII, default: []].append(condition)
    }
    for app in targeting.apps ?? [] where app != "*" {
      ofApps[app.lowercasedASCII, default: []].append(TargetingCondition(document: document, part: 0))
    }
  }

  /// The groups that some document names, in lower case, each once, sorted.
  func named(_ groups: [String]) -> [String] {
    groups.map(\.lowercasedASCII).filter { ofGroups[$0] != nil }.sortedOnce
  }

  /// What somebody in these groups meets, each condition once, sorted.
  func met(byGroups groups: [String]) -> [TargetingCondition] {
    if groups.count == 1, let conditions = ofGroups[groups[0]] { return conditions.sortedOnce }
    return groups.flatMap { ofGroups[$0] ?? [] }.sortedOnce
  }

  /// What an app meets, each condition once, sorted. `app` is in lower case.
  func met(byApp app: String) -> [TargetingCondition] { (ofApps[app] ?? []).sortedOnce }
}

extension Array where Element: Comparable {
  fileprivate var sortedOnce: [Element] {
    guard count > 1 else { return self }
    var unique: [Element] = []
    for element in sorted() where unique.last != element { unique.append(element) }
    return unique
  }
}

extension [TargetingCondition] {
  /// The conditions of each document, in order.
  var byDocument: [ArraySlice<TargetingCondition>] {
    var slices: [ArraySlice<TargetingCondition>] = []
    var start = startIndex
    while start < endIndex {
      let end = self[start...].firstIndex { $0.document != self[start].document } ?? endIndex
      slices.append(self[start..<end])
      start = end
    }
    return slices
  }
}
