import Model
import Policy

/// What becomes of policies: those that nobody gets, users who get none, and policies that are merged.
extension TenantOutcomes {
  private static let file = "tenant.json"
  /// More sets of merged policies are only counted.
  private static let mostMerges = 20

  var findings: [TenantFinding] { mergedPolicies + policiesForNobody + usersWithoutPolicy }

  private var usersWithoutPolicy: [TenantFinding] {
    let without = users { found in
      found.entitlement.isEntitled && results(of: found).allSatisfy { visiblePolicies(of: $0).count == 0 }
    }
    guard without.count > 0 else { return [] }
    let text = "\(without.text) \(without.count == 1 ? "gets" : "get") no policy in any app"
    return [TenantFinding(.userWithoutPolicy, Self.file, member: "users", text: text)]
  }

  private var mergedPolicies: [TenantFinding] {
    var order: [DocumentSet] = []
    var merged: [DocumentSet: SomeUsers] = [:]
    for found in classes where found.entitlement.isEntitled {
      var seen: Set<DocumentSet> = []
      for set in results(of: found).map({ visiblePolicies(of: $0) }) where set.count > 1 && seen.insert(set).inserted {
        if merged[set] == nil { order.append(set) }
        merged[set, default: SomeUsers()].add(found.users)
      }
    }
    let all = order.enumerated().map { (place: $0, set: $1, users: merged[$1] ?? SomeUsers()) }
    let widest = all.sorted { ($1.users.count, $0.place) < ($0.users.count, $1.place) }.prefix(Self.mostMerges)
    let findings = widest.sorted { $0.place < $1.place }.map { found in
      finding(ofMerged: found.set.numbers.map { tenant.policies[$0] }, for: found.users)
    }
    let rest = all.count - findings.count
    guard rest > 0 else { return findings }
    let text = "\(rest.grouped) more sets of policies are merged, each for at most as many users"
    return findings + [TenantFinding(.mergedPolicies, "policies", text: text)]
  }

  private func finding(ofMerged policies: [PolicyDocument], for users: SomeUsers) -> TenantFinding {
    TenantFinding(
      .mergedPolicies, Set(policies.map(\.source)).sorted().briefly,
      text: "the policies \(policies.map(\.id).briefly) are merged for \(users.text)")
  }

  private var policiesForNobody: [TenantFinding] {
    var nearest: [Int: TargetingReason] = [:]
    for row in rows where !used.contains(row.document) {
      for verdict in row.verdicts where verdict.reason != .otherPlatform {
        // What applies and yet is not used is a default policy that others hide everywhere.
        let reason = verdict.isApplied ? .hiddenByTargeted : verdict.reason
        let known = nearest[row.document]
        nearest[row.document] = known.map { $0.nearness >= reason.nearness ? $0 : reason } ?? reason
      }
    }
    let documents =
      tenant.policies.map { ($0.id, $0.source) } + tenant.configurations.map { ($0.id, $0.source) }
    return documents.enumerated().filter { !used.contains($0.offset) }.map { number, document in
      let why = nearest[number].map { "it \($0.text)" } ?? "no user can get a policy"
      return TenantFinding(
        .policyForNobody, document.1, policy: document.0, text: "applies to nobody, because \(why)")
    }
  }
}

extension TargetingReason {
  /// How close the policy came to applying.
  fileprivate var nearness: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
