import Model
import Policy

/// What changes in decisions between two versions of a tenant.
package struct TenantDifferences: Sendable {
  /// Users whose decisions change in the same way in the same places.
  package struct Group: Sendable {
    package let users: SomeUsers
    package let apps: [TenantShare.App]
    package let devices: [TenantDevice]
    /// The names of the policies that apply in the new version, or else in the old one.
    package let policies: [String]
    /// The groups by which these policies are for the users; empty if one of the policies is for everybody.
    package let groups: [String]
    package let differences: [DecisionDifference]
  }

  package let users: [UserDifference]
  /// The largest first.
  package let groups: [Group]
  /// Hosts whose certificate pins change; its effect is `tighter`, `looser` or `other`.
  package let pins: DecisionEffect?
  package let userCount: Int
  package let placeCount: Int
  /// The number of questions that were asked about contents that differ. Equal contents have equal answers.
  package let questionCount: Int
  /// The pairs of contents that were compared.
  package let contentCount: Int
  /// What was not compared, because the source that a version was pulled from does not say it.
  package let notCompared: [PulledSource.Unsaid]
  /// The addresses of these sources.
  package let silentSources: [String]

  package var effects: Set<DecisionEffect> {
    Set(users.map(\.effect) + groups.flatMap { $0.differences.map(\.effect) } + [pins].compactMap(\.self))
  }

  package var isEqual: Bool { effects.isEmpty }

  /// Compares all users and apps, or one.
  package init(
    _ before: ComparedTenant, _ after: ComparedTenant, user: AccountReference? = nil, app: String? = nil
  ) throws(ComparisonFault) {
    let (old, new) = (before.completed(by: after), after.completed(by: before))
    let sources = [old.source, new.source].compactMap(\.self)
    notCompared = PulledSource.Unsaid.allCases.filter { part in sources.contains { $0.unsaid.contains(part) } }
    silentSources = Set(sources.map(\.address)).sorted()
    let ids = (old.tenant.tenantId.lowercasedASCII, new.tenant.tenantId.lowercasedASCII)
    guard ids.0 == ids.1 else { throw .otherTenant(old: old.tenant.tenantId, new: new.tenant.tenantId) }
    var search = ComparisonSearch(old, new, app)
    if let user {
      let (before, after) = (old.tenant.user(for: user), new.tenant.user(for: user))
      guard before != nil || after != nil else { throw .unknownUser(user.text) }
      let id = (before ?? after)?.id.lowercasedASCII
      search.add(
        old.tenant.users.filter { $0.id.lowercasedASCII == id }, new.tenant.users.filter { $0.id.lowercasedASCII == id }
      )
      search.addOperations { account in [old, new].contains { $0.tenant.user(for: account)?.id.lowercasedASCII == id } }
    } else {
      search.add(Array(old.tenant.users), Array(new.tenant.users))
      search.addOperations { _ in true }
    }
    users = search.users.all
    groups = search.groups
    pins = old.tenant.certificatePins.effect(of: new.tenant.certificatePins)
    (userCount, placeCount) = (search.userCount, search.placeCount)
    (questionCount, contentCount) = (search.questionCount, search.contentCount)
  }
}

extension CertificatePins {
  /// `nil` if the pins are equal. Pins where there were none are stricter.
  fileprivate func effect(of new: CertificatePins) -> DecisionEffect? {
    self == new ? nil : isEmpty ? .tighter : new.isEmpty ? .looser : .other
  }
}

/// Compares classes of users that get the same in both versions, each pair of contents once.
private struct ComparisonSearch {
  private struct ClassPair: Hashable {
    let old: Int32
    let new: Int32
    /// The number of the users' moves between groups.
    let moves: Int
  }

  private struct Members {
    var users = SomeUsers()
    /// In either version, in lower case.
    var groups: Set<String> = []
  }

  private struct Target {
    let policies: [String]
    let groups: [String]
  }

  private struct ContentPair: Hashable {
    let old: Int
    let new: Int
    let platform: DevicePlatform
  }

  private struct DescribedPair: Hashable {
    let contents: ContentPair
    /// 0 if it does not matter to which groups the users have moved.
    let moves: Int
  }

  private struct Found: Hashable {
    let differences: Int
    let places: [Int]
  }

  private let old: ComparedTenant
  private let new: ComparedTenant
  private let places: TenantPlaces
  private var describer: ChangeDescriber
  private var moves: KnownMoves
  private let assigned: (old: AssignedGroups, new: AssignedGroups)
  private(set) var users = UserDifferences()
  private(set) var userCount = 0
  private var answers = KnownAnswers()
  private var contents = ContentNumbers()
  private var comparisons: [ContentPair: ContentComparison] = [:]
  private var differencesOfPair: [DescribedPair: Int] = [:]
  /// Distinct lists of differences. Number 0 is none.
  private var lists: [[DecisionDifference]] = [[]]
  private var listNumbers: [[DecisionDifference]: Int] = [[]: 0]
  private var found: [Found: (users: SomeUsers, policies: [String], groups: Set<String>)] = [:]

  init(_ old: ComparedTenant, _ new: ComparedTenant, _ app: String?) {
    (self.old, self.new) = (old, new)
    let all = TenantPlaces(of: old.tenant, new.tenant)
    places = app.map { TenantPlaces(app: $0, among: all) } ?? all
    describer = ChangeDescriber(old, new)
    moves = KnownMoves(old.tenant, new.tenant)
    assigned = (AssignedGroups(old.tenant), AssignedGroups(new.tenant))
  }

  var placeCount: Int { places.count }
  var contentCount: Int { comparisons.count }
  var questionCount: Int { answers.count }

  mutating func add(_ before: [TenantUser], _ after: [TenantUser]) {
    let (first, second) = (
      old.tenant.outcomes(of: before, in: places), new.tenant.outcomes(of: after, in: places)
    )
    let oldPlaces = Dictionary(before.enumerated().map { ($1.id.lowercasedASCII, $0) }) { first, _ in first }
    var matched: Set<Int> = []
    var pairs: [ClassPair: Members] = [:]
    userCount = after.count
    for (place, user) in after.enumerated() {
      guard let oldPlace = oldPlaces[user.id.lowercasedASCII] else {
        users.add(.added, user.userPrincipalName, at: place)
        continue
      }
      matched.insert(oldPlace)
      let groups = (moves.groups(of: before[oldPlace]), moves.groups(of: user))
      let pair = ClassPair(
        old: first.classNumbers[oldPlace], new: second.classNumbers[place],
        moves: moves.number(of: user, was: groups.0, now: groups.1))
      let entitlements = (first.classes[Int(pair.old)].entitlement, second.classes[Int(pair.new)].entitlement)
      users.add(user, was: before[oldPlace], at: place, wipes: first.wipesDisabled(pair.old))
      users.add(entitlements.1, was: entitlements.0, user.userPrincipalName, at: place)
      if entitlements.0.isEntitled, entitlements.1.isEntitled {
        pairs[pair, default: Members()].users.add(user.userPrincipalName, at: place)
        pairs[pair, default: Members()].groups.formUnion(groups.0.union(groups.1))
      }
    }
    for (place, user) in before.enumerated() where !matched.contains(place) {
      users.add(.removed, user.userPrincipalName, at: place)
    }
    userCount += before.count - matched.count
    for (pair, members) in pairs.sorted(by: { $0.value.users.firstPlace < $1.value.users.firstPlace }) {
      compare(pair, members, first, second)
    }
  }

  mutating func addOperations(of wanted: (AccountReference) -> Bool) {
    users.add(operationsOf: new.tenant, was: old.tenant, of: wanted)
  }

  private mutating func compare(
    _ pair: ClassPair, _ members: Members, _ first: TenantOutcomes, _ second: TenantOutcomes
  ) {
    let (before, after) = (first.classes[Int(pair.old)], second.classes[Int(pair.new)])
    var placesOfList: [Int: [Int]] = [:]
    var targets: [Int: Target] = [:]
    for place in 0..<places.count {
      let results = (first.result(of: before, at: place), second.result(of: after, at: place))
      let numbers = ContentPair(
        old: contents.number(of: results.0, in: first, isOld: true, isDeviceUser: before.entitlement.isDeviceUser),
        new: contents.number(of: results.1, in: second, isOld: false, isDeviceUser: after.entitlement.isDeviceUser),
        platform: places.devices[place % places.devices.count].platform)
      guard numbers.old != numbers.new else { continue }
      let list = differences(of: numbers, moves: pair.moves)
      guard list != 0 else { continue }
      placesOfList[list, default: []].append(place)
      if targets[list] == nil {
        let (before, after) = (first.policies(of: results.0), second.policies(of: results.1))
        targets[list] =
          after.isEmpty
          ? Target(policies: before.map(\.displayName), groups: assigned.old.names(of: before, among: members.groups))
          : Target(policies: after.map(\.displayName), groups: assigned.new.names(of: after, among: members.groups))
      }
    }
    for (list, places) in placesOfList {
      let key = Found(differences: list, places: places)
      let target = targets[list] ?? Target(policies: [], groups: [])
      found[key, default: (SomeUsers(), target.policies, [])].users.add(members.users)
      found[key]?.groups.formUnion(target.groups)
    }
  }

  /// The number of the differences of two contents, for users with these moves between groups.
  private mutating func differences(of pair: ContentPair, moves number: Int) -> Int {
    let comparison =
      comparisons[pair]
      ?? ContentComparison(contents.list[pair.old], contents.list[pair.new], on: pair.platform, &answers)
    comparisons[pair] = comparison
    let described = DescribedPair(contents: pair, moves: comparison.isAboutTargeting ? number : 0)
    if let known = differencesOfPair[described] { return known }
    let differences = comparison.differences(&describer, moves[described.moves])
    let list = listNumbers[differences] ?? lists.count
    if list == lists.count {
      lists.append(differences)
      listNumbers[differences] = list
    }
    differencesOfPair[described] = list
    return list
  }

  var groups: [TenantDifferences.Group] {
    let order = found.sorted { first, second in
      let counts = (first.value.users.count, second.value.users.count)
      return counts.0 != counts.1
        ? counts.0 > counts.1
        : (first.value.users.firstPlace, first.key.places[0], first.key.differences)
          < (second.value.users.firstPlace, second.key.places[0], second.key.differences)
    }
    return order.flatMap { key, value in
      blocks(of: key.places).map { apps, devices in
        TenantDifferences.Group(
          users: value.users, apps: apps, devices: devices, policies: value.policies,
          groups: value.groups.sorted(), differences: lists[key.differences])
      }
    }
  }

  /// Devices in which the same apps are found share a block.
  private func blocks(of found: [Int]) -> [([TenantShare.App], [TenantDevice])] {
    var apps: [[Int]] = Array(repeating: [], count: places.devices.count)
    for place in found { apps[place % places.devices.count].append(place / places.devices.count) }
    var blocks: [(apps: [Int], devices: [TenantDevice])] = []
    for (device, apps) in apps.enumerated() where !apps.isEmpty {
      if let index = blocks.firstIndex(where: { $0.apps == apps }) {
        blocks[index].devices.append(places.devices[device])
      } else {
        blocks.append((apps, [places.devices[device]]))
      }
    }
    return blocks.map { ($0.apps.map { places.apps[$0] }, $0.devices) }
  }
}

/// Numbers of contents, the same for equal ones, whichever version they are of.
private struct ContentNumbers {
  private struct Key: Hashable {
    let isOld: Bool
    let result: Int
    let isDeviceUser: Bool
  }

  private(set) var list: [ShareContent] = []
  private var numbers: [ShareContent: Int] = [:]
  private var known: [Key: Int] = [:]

  mutating func number(of result: Int, in outcomes: TenantOutcomes, isOld: Bool, isDeviceUser: Bool) -> Int {
    let key = Key(isOld: isOld, result: result, isDeviceUser: isDeviceUser)
    if let number = known[key] { return number }
    let content = outcomes.content(of: result, isDeviceUser: isDeviceUser)
    let number = numbers[content] ?? list.count
    if number == list.count {
      list.append(content)
      numbers[content] = number
    }
    known[key] = number
    return number
  }
}

extension TenantOutcomes {
  /// Whether a policy of the class wipes the data of an account that is disabled.
  fileprivate func wipesDisabled(_ number: Int32) -> Bool {
    results(of: classes[Int(number)]).contains { result in
      let filters = filters(of: result)
      return visiblePolicies(of: result).numbers.contains { policy in
        let action = tenant.policies[policy].settings[.appActionIfUnableToAuthenticateUser]
        return action == .word(RemediationAction.wipe.rawValue) && filters[policy]?.isEmpty ?? true
      }
    }
  }
}
