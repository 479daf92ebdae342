import Model
import Policy

/// The properties of a user, other than groups, that decide the outcome.
package struct Entitlement: Hashable, Sendable {
  package var isEnabled = true
  package var isLicensed = true
  /// Whether the tenant allows the account.
  package var isAllowed = true
  /// Whether the device is managed for another user.
  package var isBesideDevice = false
  /// Whether the device is managed for the user.
  package var isDeviceUser = false

  /// Whether the user can get policies.
  package var isEntitled: Bool { isEnabled && isLicensed && !isBesideDevice }

  /// A clause that says why the user gets nothing, regardless of assignments; `nil` if there is no such reason. Checked
  /// in the order of a check-in.
  package var obstacle: String? {
    if !isEnabled { return "the user is disabled" }
    if isBesideDevice { return "the device is managed for another user" }
    return isLicensed ? nil : "the user has no license"
  }
}

/// What a user gets in one place.
package struct PlaceOutcome: Hashable, Sendable {
  package struct Policy: Hashable, Sendable {
    package let id: String
    /// The policy applies, but blocks where it would wipe, unless the device decides these filters.
    package let filters: Set<UncertainFilter>
  }

  package let policies: [Policy]
  package let configurations: [String]
  /// The default policies with app configuration, hidden or not.
  package let defaults: [String]
}

/// Everything that a user gets from one version of a tenant. Outcomes of two versions can be compared.
package struct UserOutcome: Hashable, Sendable {
  package let entitlement: Entitlement
  package let allowedAccounts: [AccountReference]?
  package let certificatePins: CertificatePins
  /// The configuration that the management of the device delivers; `nil` if it delivers none to the user.
  package let deviceConfiguration: [String: String]?
  /// By place.
  package let places: [PlaceOutcome]
}

/// The users of a tenant in classes of equal outcome, in the order of their first users.
package struct TenantOutcomes: Sendable {
  package struct Class: Sendable {
    package let entitlement: Entitlement
    /// By place: the numbers of results. Empty if the users can get nothing.
    fileprivate let results: [Int32]
    package internal(set) var users = SomeUsers()

    init(_ entitlement: Entitlement, _ results: [Int32]) {
      (self.entitlement, self.results) = (entitlement, results)
    }
  }

  let tenant: TenantSnapshot
  package let places: TenantPlaces
  package let classes: [Class]
  /// Of each user: the number of the class.
  package let classNumbers: [Int32]
  private let results: OutcomeResults
  /// The decisions that entitled users need.
  let rows: [TargetingRows.Row]

  init(
    of tenant: TenantSnapshot, in places: TenantPlaces, _ classes: [Class], _ classNumbers: [Int32],
    _ results: OutcomeResults, _ rows: [TargetingRows.Row]
  ) {
    (self.tenant, self.places, self.classes, self.classNumbers) = (tenant, places, classes, classNumbers)
    (self.results, self.rows) = (results, rows)
  }

  package func users(where isWanted: (Class) -> Bool) -> SomeUsers {
    classes.reduce(into: SomeUsers()) { users, found in if isWanted(found) { users.add(found.users) } }
  }

  /// The number of the result of a class in a place. Equal numbers are equal results.
  package func result(of found: Class, at place: Int) -> Int { found.results.isEmpty ? 0 : Int(found.results[place]) }

  /// The numbers of all results of a class, in the order of the places where each is first.
  package func results(of found: Class) -> [Int] {
    guard let first = found.results.first else { return [0] }
    var (last, seen, distinct) = (first, Set([first]), [Int(first)])
    for result in found.results where result != last {
      last = result
      if seen.insert(result).inserted { distinct.append(Int(result)) }
    }
    return distinct
  }

  /// The policies that apply. A hidden default policy does not.
  func visiblePolicies(of result: Int) -> DocumentSet { results.visiblePolicies(of: result) }

  package func policies(of result: Int) -> [PolicyDocument] {
    visiblePolicies(of: result).numbers.map { tenant.policies[$0] }
  }

  package func configurations(of result: Int) -> [ConfigurationDocument] {
    results.configurations(of: result).map { tenant.configurations[$0] }
  }

  /// The default policies that do not apply, because a targeted policy hides them, but whose app configuration counts.
  package func hiddenDefaults(of result: Int) -> [PolicyDocument] {
    results.hiddenDefaults(of: result).map { tenant.policies[$0] }
  }

  /// The default policies for the users, hidden or not.
  func defaults(of result: Int) -> [PolicyDocument] { results.defaults(of: result).map { tenant.policies[$0] } }

  /// By policy: the filters on which it depends whether the policy wipes.
  func filters(of result: Int) -> [Int: Set<UncertainFilter>] { results.filters(of: result) }

  /// What applies to anybody, or at least provides app configuration.
  var used: DocumentSet { results.used }

  /// What the users of a class get.
  package func outcome(of number: Int32) -> UserOutcome {
    let found = classes[Int(number)]
    var decoded: [Int: PlaceOutcome] = [:]
    let outcomes = (0..<places.count).map { place in
      let result = result(of: found, at: place)
      let outcome = decoded[result] ?? placeOutcome(of: result)
      decoded[result] = outcome
      return outcome
    }
    return UserOutcome(
      entitlement: found.entitlement, allowedAccounts: tenant.allowedAccounts,
      certificatePins: tenant.certificatePins,
      deviceConfiguration: found.entitlement.isDeviceUser ? tenant.mdm?.appConfig : nil, places: outcomes)
  }

  private func placeOutcome(of result: Int) -> PlaceOutcome {
    let filters = filters(of: result)
    return PlaceOutcome(
      policies: visiblePolicies(of: result).numbers.map { number in
        PlaceOutcome.Policy(id: tenant.policies[number].id, filters: filters[number] ?? [])
      }, configurations: configurations(of: result).map(\.id),
      defaults: defaults(of: result).filter { !$0.customSettings.isEmpty }.map(\.id))
  }
}
