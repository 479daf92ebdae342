import Model
import Policy

extension TenantSnapshot {
  /// Filters that no assignment can rely on, and groups of apps that a policy does not list. Nothing about the files that
  /// tenant.json assigns, because their own targeting does not count.
  var targetingWarnings: [PolicyWarning] {
    let assigned = Set(assignments.map(\.file))
    let documents =
      policies.map { ($0.source, $0.targeting, kind: PolicyKind?.some($0.kind)) }
      + configurations.map { ($0.source, $0.targeting, kind: nil) }
    return documents.filter { !assigned.contains($0.0) }.flatMap { source, targeting, kind in
      filterWarnings(targeting, source, of: kind) + appWarnings(targeting, source)
    } + ruleWarnings
  }

  private var ruleWarnings: [PolicyWarning] {
    filters.all.compactMap { filter in
      guard case .failure(let fault) = filter.rule else { return nil }
      return PolicyWarning(filter.source, "rule", "the filter \"\(filter.displayName)\" \(fault.reason)")
    }
  }

  /// `kind` is nil for a configuration, which has no platform.
  private func filterWarnings(_ targeting: PolicyTargeting, _ source: String, of kind: PolicyKind?) -> [PolicyWarning] {
    let effect =
      kind != nil ? "the policy applies, but blocks where it would wipe" : "the configuration does not apply"
    return (targeting.assignments ?? []).compactMap { assignment in
      guard let reference = assignment.filter else { return nil }
      if case .exclusionGroup = assignment.target {
        return PolicyWarning(source, "assignments", "a filter of an excluded group is ignored; the group is excluded")
      }
      guard let problem = problem(of: reference, in: kind) else { return nil }
      return PolicyWarning(source, "assignments", "\(problem). Until this is fixed, \(effect)")
    }
  }

  /// What is wrong with a filter on every device.
  private func problem(of reference: FilterReference, in kind: PolicyKind?) -> String? {
    if reference.id.isEmpty { return "an assignment does not name its filter" }
    guard let filter = filters[reference.id] else {
      return "the filter \(reference.id) is missing; export it to filters/, or pull again"
    }
    if reference.mode == .unknown {
      return "an assignment does not say whether the filter \"\(filter.displayName)\" includes or excludes"
    }
    if case .failure(let fault) = filter.rule { return "the filter \"\(filter.displayName)\" \(fault.reason)" }
    guard !(kind?.platforms ?? DevicePlatform.allCases).contains(where: filter.isFor) else { return nil }
    return "the filter \"\(filter.displayName)\" is for another platform"
  }

  private func appWarnings(_ targeting: PolicyTargeting, _ source: String) -> [PolicyWarning] {
    guard targeting.meansCoreApps else { return [] }
    let text =
      "the export lists no apps, so allCoreMicrosoftApps means Microsoft's core apps as of \(CoreMicrosoftApps.date); "
      + "export it with its apps"
    return [PolicyWarning(source, "appGroupType", text)]
  }
}
