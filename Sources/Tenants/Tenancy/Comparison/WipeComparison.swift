import Model
import Policy
import Support

/// Finds what a version of a tenant may wipe that the version before would not, whatever a device reports. Asks the
/// questions of conditional launch and of wrong PINs that `tenant diff` asks.
///
/// An account without a policy, or without a limit for the time offline, counts as one that is wiped after 90 days
/// offline: every policy that Graph creates has this limit, so it is no news.
struct WipeComparison {
  private struct Pair: Hashable {
    let old: [ShareContent.Protection]
    let new: [ShareContent.Protection]
    let platform: DevicePlatform
  }

  private static let usualLimit = ISODuration(seconds: 90 * 24 * 3600)

  private var known: [Pair: String?] = [:]

  /// A question that is answered with a wipe only now, in words; `nil` if there is none.
  mutating func newWipe(
    from old: [ShareContent.Protection], to new: [ShareContent.Protection], on platform: DevicePlatform
  ) -> String? {
    guard old != new, !new.isEmpty else { return nil }
    let pair = Pair(old: old, new: new, platform: platform)
    if let answer = known[pair] { return answer }
    let answer = Self.compare(old, new, platform)
    known[pair] = .some(answer)
    return answer
  }

  private static func compare(
    _ old: [ShareContent.Protection], _ new: [ShareContent.Protection], _ platform: DevicePlatform
  ) -> String? {
    let (before, after) = (usual(old, platform), ComparedShare(ShareContent(policies: new), on: platform))
    let all = DecisionQuestions(values: QuestionValues(sides: [before, after]))
    for questions in all.launch + [all.wrongPINs] {
      for place in 0..<questions.count {
        guard let answer = questions.answer(after, place), answer.removesData else { continue }
        let earlier = questions.answer(before, place)
        guard earlier?.removesData != true else { continue }
        let subject = questions.subject(place..<place + 1)
        let question = subject.isEmpty ? questions.title : "\(questions.title) \(subject)"
        return "\(question): \(earlier?.text ?? "allow") -> \(answer.text)"
      }
    }
    return nil
  }

  /// The share with the usual limit for the time offline if it has none.
  private static func usual(_ policies: [ShareContent.Protection], _ platform: DevicePlatform) -> ComparedShare {
    let share = ComparedShare(ShareContent(policies: policies), on: platform)
    guard share.value(.periodOfflineBeforeWipeIsEnforced) == nil else { return share }
    let isDefault = share.policy?.effective.isDefault ?? false
    let usual = PolicyDocument(
      id: "usual", kind: isDefault ? .default : platform.policyKind, source: "-",
      settings: [.periodOfflineBeforeWipeIsEnforced: .duration(usualLimit)])
    return ComparedShare(
      ShareContent(policies: policies + [ShareContent.Protection(document: usual, isBlocking: false)]), on: platform)
  }
}

/// What a version of a tenant may wipe that the version before would not.
package struct NewWipe: Hashable, Sendable, CustomStringConvertible {
  /// The question, in words, with the answers.
  let question: String
  /// `nil` for the policy itself, for whomever it may be.
  let app: TenantShare.App?
  let platform: DevicePlatform
  /// The names of the policies that apply now.
  let policies: [String]

  package var description: String {
    let names = policies.map { "\"\($0)\"" }.joined(separator: ", ")
    return "with \(names)\(app.map { " for \($0.text)" } ?? "") on \(platform.rawValue): \(question)"
  }

  /// The first that is found; `nil` if there is none. Looks at each policy that has changed, whomever it is for, then at the
  /// users that both versions list, and at one more in each group that a policy names, because it may get members later.
  package static func first(from old: TenantSnapshot, to new: TenantSnapshot) -> NewWipe? {
    if let found = ofPolicies(from: old, to: new) { return found }
    var search = NewWipeSearch(old, new)
    return search.first
  }

  private static func ofPolicies(from old: TenantSnapshot, to new: TenantSnapshot) -> NewWipe? {
    let known = Dictionary(old.policies.map { ($0.id, $0) }) { first, _ in first }
    var comparison = WipeComparison()
    func protections(_ policy: PolicyDocument?) -> [ShareContent.Protection] {
      policy.map { [.init(document: $0.withoutDescription, isBlocking: false)] } ?? []
    }
    for policy in new.policies {
      let earlier = known[policy.id]
      // Nobody knows which devices a filter lets through.
      let isForOthers = policy.targeting.hasFilter(beyond: earlier?.targeting)
      let (before, after) = (isForOthers ? [] : protections(earlier), protections(policy))
      for platform in DevicePlatform.allCases where policy.counts(on: platform) {
        guard let question = comparison.newWipe(from: before, to: after, on: platform) else { continue }
        return NewWipe(question: question, app: nil, platform: platform, policies: [policy.displayName])
      }
    }
    return nil
  }
}

private struct NewWipeSearch {
  private struct ClassPair: Hashable {
    let old: Int32
    let new: Int32
  }

  private let places: TenantPlaces
  private let old: TenantOutcomes
  private let new: TenantOutcomes
  private var comparison = WipeComparison()

  init(_ old: TenantSnapshot, _ new: TenantSnapshot) {
    let kept = Dictionary(old.users.map { ($0.id.lowercasedASCII, $0) }) { first, _ in first }
    let pairs = new.users.compactMap { user in kept[user.id.lowercasedASCII].map { ($0, user) } }
    let members = old.namedGroups.union(new.namedGroups).sorted().map(TenantUser.init(onlyIn:))
    places = TenantPlaces(of: old, new)
    self.old = old.outcomes(of: pairs.map(\.0) + members, in: places)
    self.new = new.outcomes(of: pairs.map(\.1) + members, in: places)
  }

  var first: NewWipe? {
    mutating get {
      for pair in Set(zip(old.classNumbers, new.classNumbers).map(ClassPair.init)).sorted(by: {
        ($0.old, $0.new) < ($1.old, $1.new)
      }) {
        for place in 0..<places.count {
          if let found = newWipe(pair, at: place) { return found }
        }
      }
      return nil
    }
  }

  private mutating func newWipe(_ pair: ClassPair, at place: Int) -> NewWipe? {
    let results = (
      old.result(of: old.classes[Int(pair.old)], at: place), new.result(of: new.classes[Int(pair.new)], at: place)
    )
    let found = places.place(place)
    let question = comparison.newWipe(
      from: old.protections(of: results.0), to: new.protections(of: results.1), on: found.device.platform)
    return question.map {
      NewWipe(
        question: $0, app: found.app, platform: found.device.platform,
        policies: new.policies(of: results.1).filter { $0.counts(on: found.device.platform) }.map(\.displayName))
    }
  }
}

extension PolicyTargeting {
  /// Whether an assignment has a filter that it did not have before, other than one that narrows an assignment.
  fileprivate func hasFilter(beyond old: PolicyTargeting?) -> Bool {
    let filtered = (assignments ?? []).filter { $0.filter != nil }
    guard let old else { return !filtered.isEmpty }
    guard let before = old.assignments else { return old.needsAssignment && !filtered.isEmpty }
    return filtered.contains { assignment in
      !before.contains { $0 == assignment || $0.filter == nil && [assignment.target, .everybody].contains($0.target) }
    }
  }
}

extension TenantUser {
  /// Somebody who is in this group alone.
  fileprivate init(onlyIn group: String) {
    self.init(
      id: "only in \(group)", userPrincipalName: "only in \(group)", displayName: "", isLicensed: true, isEnabled: true,
      groups: [group])
  }
}

extension TenantSnapshot {
  /// The groups that assignments name, in lower case, and one that none of them names.
  fileprivate var namedGroups: Set<String> {
    let own = (policies.map(\.targeting) + configurations.map(\.targeting)).flatMap { $0.assignments ?? [] }
    let names = own.compactMap { assignment -> String? in
      switch assignment.target {
      case .everybody: nil
      case .group(let name), .exclusionGroup(let name): name
      }
    }
    return Set((names + assignments.flatMap(\.groups) + [""]).map(\.lowercasedASCII))
  }
}
