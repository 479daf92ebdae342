import JSON
import Model
import Policy

/// One difference between two contents, which can be taken back alone.
enum ContentChange: Hashable, Sendable {
  /// A policy that applies in one version alone.
  case policy(id: String)
  case setting(SettingName, policy: String)
  /// A member that mambridge does not know and that may restrict.
  case unknown(String, policy: String)
  /// Whether unknown members block the account.
  case blocking(policy: String)
  /// The platforms that the policy is for.
  case kind(policy: String)
  /// Whether a filter turns each wipe into a block.
  case filter(policy: String)
  /// A configuration, or a default one, that applies in one version alone.
  case configuration(id: String, isDefault: Bool)
  case entry(String, configuration: String, isDefault: Bool)
  case deviceEntry(String)

  /// Whether a document applies in one version alone.
  var isAboutTargeting: Bool {
    switch self {
    case .policy, .configuration: true
    default: false
    }
  }
}

extension ShareContent {
  /// What leads from this content to another one, in order.
  func changes(to new: ShareContent) -> [ContentChange] {
    policyChanges(to: new) + Self.entryChanges(configurations, new.configurations, isDefault: false)
      + Self.entryChanges(defaults, new.defaults, isDefault: true)
      + Self.names(deviceConfiguration ?? [:], new.deviceConfiguration ?? [:]).map { .deviceEntry($0) }
  }

  private func policyChanges(to new: ShareContent) -> [ContentChange] {
    let ids = Set(policies.map(\.document.id)).union(new.policies.map(\.document.id)).sorted()
    return ids.flatMap { id -> [ContentChange] in
      guard let before = policy(id), let after = new.policy(id) else { return [.policy(id: id)] }
      let settings = Self.names(before.document.settings, after.document.settings).sorted { $0.rawValue < $1.rawValue }
      let unknown = Self.names(before.document.unknownValues, after.document.unknownValues).sorted()
      var changes: [ContentChange] = settings.map { .setting($0, policy: id) }
      changes += unknown.map { .unknown($0, policy: id) }
      if before.document.blocksUnknown != after.document.blocksUnknown { changes.append(.blocking(policy: id)) }
      if before.document.kind != after.document.kind { changes.append(.kind(policy: id)) }
      if before.isBlocking != after.isBlocking { changes.append(.filter(policy: id)) }
      return changes
    }
  }

  private static func entryChanges(_ old: [Entries], _ new: [Entries], isDefault: Bool) -> [ContentChange] {
    Set(old.map(\.id)).union(new.map(\.id)).sorted().flatMap { id -> [ContentChange] in
      guard let before = old.first(where: { $0.id == id }), let after = new.first(where: { $0.id == id }) else {
        return [.configuration(id: id, isDefault: isDefault)]
      }
      return names(before.values, after.values).sorted().map {
        .entry($0, configuration: id, isDefault: isDefault)
      }
    }
  }

  private static func names<Name: Hashable, Value: Equatable>(_ old: [Name: Value], _ new: [Name: Value]) -> [Name] {
    Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }
  }

  func policy(_ id: String) -> Protection? { policies.first { $0.document.id == id } }

  /// This content as it was in `old` with respect to these changes.
  func takingBack(_ changes: some Sequence<ContentChange>, to old: ShareContent) -> ShareContent {
    var content = self
    for change in changes { content.takeBack(change, to: old) }
    return content
  }

  private mutating func takeBack(_ change: ContentChange, to old: ShareContent) {
    switch change {
    case .policy(let id):
      policies.removeAll { $0.document.id == id }
      if let before = old.policy(id) { policies.append(before) }
    case .setting(_, let id), .unknown(_, let id), .blocking(let id), .kind(let id), .filter(let id):
      guard let index = policies.firstIndex(where: { $0.document.id == id }), let before = old.policy(id) else {
        return
      }
      policies[index].takeBack(change, to: before)
    case .configuration(let id, let isDefault):
      let entries = isDefault ? old.defaults : old.configurations
      let before = entries.first { $0.id == id }
      if isDefault {
        Self.replace(id, in: &defaults, by: before)
      } else {
        Self.replace(id, in: &configurations, by: before)
      }
    case .entry(let name, let id, let isDefault):
      let entries = (isDefault ? old.defaults : old.configurations).first { $0.id == id }
      if isDefault {
        Self.takeBack(name, of: id, in: &defaults, to: entries)
      } else {
        Self.takeBack(name, of: id, in: &configurations, to: entries)
      }
    case .deviceEntry(let name):
      var entries = deviceConfiguration ?? [:]
      entries[name] = old.deviceConfiguration?[name]
      deviceConfiguration = entries
    }
  }

  private static func replace(_ id: String, in list: inout [Entries], by entries: Entries?) {
    list.removeAll { $0.id == id }
    if let entries { list.append(entries) }
  }

  private static func takeBack(_ name: String, of id: String, in list: inout [Entries], to old: Entries?) {
    guard let index = list.firstIndex(where: { $0.id == id }) else { return }
    list[index].entries.removeAll { $0.name == name }
    list[index].entries += old?.entries.filter { $0.name == name } ?? []
    list[index].entries.sort { $0.name < $1.name }
  }
}

extension ShareContent.Protection {
  fileprivate mutating func takeBack(_ change: ContentChange, to old: Self) {
    switch change {
    case .setting(let name, _): document.settings[name] = old.document.settings[name]
    case .unknown(let name, _): document.unknown[name] = old.document.unknown[name]
    case .blocking: document.blocksUnknown = old.document.blocksUnknown
    case .kind: document.kind = old.document.kind
    case .filter: isBlocking = old.isBlocking
    default: break
    }
  }
}

extension ShareContent.Entries {
  fileprivate var values: [String: String] {
    Dictionary(entries.map { ($0.name, $0.value) }) { first, _ in first }
  }
}

/// Finds the smallest set of changes whose reversal restores an answer.
struct CauseSearch {
  /// More sets are not tried: then the set is one of which no part can be left out.
  private static let mostSets = 2_000

  private let old: ShareContent
  private let new: ShareContent
  private let platform: DevicePlatform
  let changes: [ContentChange]
  private var shares: [[Int]: ComparedShare] = [:]

  init(from old: ShareContent, to new: ShareContent, on platform: DevicePlatform) {
    (self.old, self.new, self.platform) = (old, new, platform)
    changes = old.changes(to: new)
  }

  /// One of the smallest sets. A set of which no part can be left out bounds the search.
  mutating func smallest(of question: Questions, at index: Int, restoring answer: Answer?) -> [ContentChange] {
    if changes.count > 1, let set = first(of: 1, question, index, answer) { return set.map { changes[$0] } }
    let bound = least(question, index, answer)
    var tried = 0
    for size in stride(from: 2, to: bound.count, by: 1) {
      guard let count = Self.choices(of: size, from: changes.count), tried + count <= Self.mostSets else { break }
      tried += count
      if let set = first(of: size, question, index, answer) { return set.map { changes[$0] } }
    }
    return bound.map { changes[$0] }
  }

  private mutating func restores(_ set: [Int], _ question: Questions, _ index: Int, _ answer: Answer?) -> Bool {
    question.answer(share(set), index) == answer
  }

  private mutating func share(_ set: [Int]) -> ComparedShare {
    if let share = shares[set] { return share }
    let share = ComparedShare(new.takingBack(set.map { changes[$0] }, to: old), on: platform)
    if set.count < 3 { shares[set] = share }
    return share
  }

  private mutating func first(of size: Int, _ question: Questions, _ index: Int, _ answer: Answer?) -> [Int]? {
    var set = Array(0..<size)
    while true {
      if restores(set, question, index, answer) { return set }
      guard let place = set.indices.last(where: { set[$0] < changes.count - size + $0 }) else { return nil }
      set[place] += 1
      for next in (place + 1)..<max(size, place + 1) { set[next] = set[next - 1] + 1 }
    }
  }

  /// All changes without those that are not needed, one after the other.
  private mutating func least(_ question: Questions, _ index: Int, _ answer: Answer?) -> [Int] {
    var set = Array(changes.indices)
    for change in changes.indices {
      let rest = set.filter { $0 != change }
      if restores(rest, question, index, answer) { set = rest }
    }
    return set
  }

  /// `nil` if there are too many.
  private static func choices(of size: Int, from count: Int) -> Int? {
    var product = 1
    for step in 0..<size {
      product = product * (count - step) / (step + 1)
      if product > mostSets { return nil }
    }
    return product
  }
}

extension PolicyDocument {
  fileprivate var unknownValues: [String: JSONValue] {
    Dictionary(unknown.members.map { ($0.name, $0.value) }) { first, _ in first }
  }
}
