import Model
import Policy

extension TenantSnapshot {
  /// The users in classes of equal outcome. Each class is decided once, so that neither users nor policies multiply what
  /// the other costs.
  package func outcomes(of users: some Sequence<TenantUser>, in places: TenantPlaces) -> TenantOutcomes {
    var search = OutcomeSearch(self, places)
    for user in users { search.add(user) }
    return search.outcomes
  }
}

/// Finds the outcomes of users: first by their groups, then by the conditions that these meet, then by what the
/// conditions lead to.
private struct OutcomeSearch {
  /// Users who are in the same of the groups that documents name. A group is one element, however many documents name it.
  private struct GroupKey: Hashable {
    let entitlement: Entitlement
    let groups: [String]
  }

  /// Users who are equal to targeting.
  private struct Key: Hashable {
    let entitlement: Entitlement
    let conditions: [TargetingCondition]
  }

  private struct Found: Hashable {
    let entitlement: Entitlement
    let results: [Int32]
  }

  private let tenant: TenantSnapshot
  private let places: TenantPlaces
  private let conditions: TargetingConditions
  private let deviceUser: String?
  private let allowed: Set<String>?
  private var rows: TargetingRows
  private var results: OutcomeResults
  /// What users get who meet no condition, by place.
  private var bases: [OutcomeResults.Result]
  private var baseNumbers: [Int32?]
  /// The rows of users who meet conditions of a document.
  private var usedRows: Set<Int> = []
  private var entitledKeys = 0
  /// By document: how many of the entitled keys meet a condition of it.
  private var keysMeeting: [Int]
  private var numbersOfGroups: [GroupKey: Int32] = [:]
  private var numbers: [Key: Int32] = [:]
  private var numbersOfFound: [Found: Int32] = [:]
  private var classes: [TenantOutcomes.Class] = []
  private var classNumbers: [Int32] = []

  init(_ tenant: TenantSnapshot, _ places: TenantPlaces) {
    let assignments = Dictionary(grouping: tenant.assignments, by: \.file)
    let conditions = TargetingConditions(of: tenant, assignments: assignments)
    let audience = TargetingAudience(
      groups: [], app: "", assignments: assignments, filters: tenant.filters,
      device: AudienceDevice(.ios, .unmanaged, FilterDevice(), isManaged: false))
    let rows = TargetingRows(of: tenant, in: places, conditions, audience)
    (self.tenant, self.places, self.conditions, self.rows) = (tenant, places, conditions, rows)
    results = OutcomeResults(of: tenant)
    deviceUser = tenant.mdm.flatMap { tenant.user(for: $0.user)?.id.lowercasedASCII }
    allowed = tenant.allowedAccounts.map { Set($0.map(\.key)) }
    bases = (0..<places.count).map { place in
      var base = OutcomeResults.Result(documents: DocumentSet(of: rows.rows.count))
      for row in rows.rows where row.verdicts[place].isApplied { base.decide(row.document, row.verdicts[place]) }
      return base
    }
    baseNumbers = Array(repeating: nil, count: places.count)
    keysMeeting = Array(repeating: 0, count: rows.rows.count)
  }

  mutating func add(_ user: TenantUser) {
    let entitlement = entitlement(of: user)
    let key = GroupKey(
      entitlement: entitlement, groups: entitlement.isEntitled ? conditions.named(user.groups) : [])
    let number = numbersOfGroups[key] ?? self.number(of: key)
    numbersOfGroups[key] = number
    classes[Int(number)].users.add(user.userPrincipalName, at: classNumbers.count)
    classNumbers.append(number)
  }

  private func entitlement(of user: TenantUser) -> Entitlement {
    let id = user.id.lowercasedASCII
    let isAllowed = allowed.map { $0.contains(id) || $0.contains(user.userPrincipalName.lowercasedASCII) } ?? true
    let isDeviceUser = deviceUser == id
    return Entitlement(
      isEnabled: user.isEnabled, isLicensed: user.isLicensed, isAllowed: isAllowed,
      isBesideDevice: tenant.mdm != nil && !isDeviceUser, isDeviceUser: isDeviceUser)
  }

  private mutating func number(of users: GroupKey) -> Int32 {
    let key = Key(entitlement: users.entitlement, conditions: conditions.met(byGroups: users.groups))
    let number = numbers[key] ?? self.number(of: key, users.groups)
    numbers[key] = number
    return number
  }

  /// The number of the class of users who are first seen.
  private mutating func number(of key: Key, _ groups: [String]) -> Int32 {
    let found = Found(
      entitlement: key.entitlement,
      results: key.entitlement.isEntitled ? results(of: key.conditions, Set(groups)) : [])
    if let number = numbersOfFound[found] { return number }
    let number = Int32(classes.count)
    numbersOfFound[found] = number
    classes.append(TenantOutcomes.Class(found.entitlement, found.results))
    return number
  }

  /// By place. Decides only what users who meet no condition do not get in the same way.
  private mutating func results(of conditions: [TargetingCondition], _ groups: Set<String>) -> [Int32] {
    entitledKeys += 1
    let others = conditions.byDocument.map { rows.row(for: $0, groups: groups) }
    for other in others {
      usedRows.insert(other)
      keysMeeting[rows.rows[other].document] += 1
    }
    return (0..<places.count).map { place in
      var result: OutcomeResults.Result?
      for other in others {
        let row = rows.rows[other]
        let verdict = row.verdicts[place]
        let before = rows.rows[row.document].verdicts[place]
        guard verdict.isApplied != before.isApplied || verdict.filters != before.filters else { continue }
        var changed = result ?? bases[place]
        changed.decide(row.document, verdict)
        result = changed
      }
      if let result { return results.number(of: result) }
      let number = baseNumbers[place] ?? results.number(of: bases[place])
      baseNumbers[place] = number
      return number
    }
  }

  var outcomes: TenantOutcomes {
    var results = results
    results.finish(rows.filterSets)
    let isNeeded = rows.rows.indices.filter { number in
      let isFirst = number < keysMeeting.count
      return isFirst ? keysMeeting[number] < entitledKeys : usedRows.contains(number)
    }
    return TenantOutcomes(of: tenant, in: places, classes, classNumbers, results, isNeeded.map { rows.rows[$0] })
  }
}
