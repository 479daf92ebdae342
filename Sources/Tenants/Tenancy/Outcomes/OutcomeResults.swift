import Model
import Policy

/// The distinct results of targeting in a tenant: what somebody gets somewhere. Number 0 is nothing.
struct OutcomeResults: Sendable {
  /// What applies.
  struct Result: Hashable, Sendable {
    var documents: DocumentSet
    /// By document: the number of the filters that nobody can evaluate.
    var filters: [Int: Int] = [:]

    mutating func decide(_ document: Int, _ verdict: TargetingRows.Verdict) {
      documents.set(document, verdict.isApplied)
      filters[document] = verdict.filters
    }
  }

  private let policies: DocumentSet
  private let targeted: DocumentSet
  private let defaults: DocumentSet
  /// The default policies without app configuration: of these, nothing is left if they are hidden.
  private let plainDefaults: DocumentSet
  private let policyCount: Int
  private var results: [Result] = []
  private var numbers: [Result: Int32] = [:]
  private(set) var used: DocumentSet
  private(set) var filterSets: [Set<UncertainFilter>] = []

  init(of tenant: TenantSnapshot) {
    let none = DocumentSet(of: tenant.policies.count + tenant.configurations.count)
    var (policies, targeted, defaults, plain) = (none, none, none, none)
    for (number, policy) in tenant.policies.enumerated() {
      let isDefault = policy.kind == .default
      policies.set(number, true)
      targeted.set(number, !isDefault)
      defaults.set(number, isDefault)
      plain.set(number, isDefault && policy.customSettings.isEmpty)
    }
    (self.policies, self.targeted, self.defaults, plainDefaults) = (policies, targeted, defaults, plain)
    policyCount = tenant.policies.count
    used = none
    _ = number(of: Result(documents: none))
  }

  /// A default policy that a targeted one hides is left out, unless it provides app configuration.
  mutating func number(of raw: Result) -> Int32 {
    var result = raw
    if result.documents.meets(targeted) {
      result.documents.remove(plainDefaults)
      for document in result.filters.keys where defaults.contains(document) { result.filters[document] = nil }
    }
    if let number = numbers[result] { return number }
    let number = Int32(results.count)
    numbers[result] = number
    results.append(result)
    used.add(result.documents)
    return number
  }

  /// Keeps what is needed to describe the results.
  mutating func finish(_ filterSets: [Set<UncertainFilter>]) {
    self.filterSets = filterSets
    numbers = [:]
  }

  private func isHiding(_ result: Int) -> Bool { results[result].documents.meets(targeted) }

  func visiblePolicies(of result: Int) -> DocumentSet {
    var visible = results[result].documents
    if isHiding(result) { visible.remove(defaults) }
    return visible.common(with: policies)
  }

  func configurations(of result: Int) -> [Int] {
    results[result].documents.removing(policies).numbers.map { $0 - policyCount }
  }

  func defaults(of result: Int) -> [Int] { results[result].documents.common(with: defaults).numbers }

  func hiddenDefaults(of result: Int) -> [Int] { isHiding(result) ? defaults(of: result) : [] }

  /// By document.
  func filters(of result: Int) -> [Int: Set<UncertainFilter>] { results[result].filters.mapValues { filterSets[$0] } }
}
