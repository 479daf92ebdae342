import Model
import Policy

/// A decision that has another answer, with what turned it.
package struct DecisionDifference: Hashable, Sendable {
  /// A stable name, such as `isSaveToAllowedForLocation`.
  package let decision: String
  /// The decision in words.
  package let title: String
  /// What it is about, such as locations or intervals; empty if the title says it all.
  package internal(set) var subjects: [String]
  package let old: String
  package let new: String
  package let effect: DecisionEffect
  /// A smallest set of changed members whose reversal restores the old answer.
  package let causes: [ChangedMember]
  /// Whether the answers are values of an app configuration.
  package let isConfiguration: Bool
}

/// The answers of two shares that differ, whatever made them.
struct AnswerChanges: Sendable {
  struct Change: Sendable {
    let questions: Questions
    let range: Range<Int>
    let old: Answer
    let new: Answer
  }

  /// How many questions were asked.
  let count: Int
  let changes: [Change]

  init(_ old: ComparedShare, _ new: ComparedShare) {
    let all = ContentComparison.questions(old, new)
    count = all.reduce(0) { $0 + $1.count }
    changes = all.flatMap { Self.changes(of: $0, old, new) }
  }

  private static func changes(of questions: Questions, _ old: ComparedShare, _ new: ComparedShare) -> [Change] {
    let answers = (0..<questions.count).map { (questions.answer(old, $0), questions.answer(new, $0)) }
    var changes: [Change] = []
    var start = 0
    while start < answers.count {
      let (before, after) = answers[start]
      let end = answers[start...].firstIndex { $0 != before || $1 != after } ?? answers.count
      if let before, let after, before != after {
        changes.append(Change(questions: questions, range: start..<end, old: before, new: after))
      }
      start = end
    }
    return changes
  }
}

/// The answers that differ between shares, of each pair of equal ones once: many merges of policies come to the same.
struct KnownAnswers {
  private struct Key: Hashable {
    let old: ComparedShare.Key
    let new: ComparedShare.Key
  }

  private var known: [Key: AnswerChanges] = [:]

  mutating func changes(_ old: ComparedShare, _ new: ComparedShare) -> AnswerChanges {
    let key = Key(old: old.key, new: new.key)
    if let changes = known[key] { return changes }
    let changes = AnswerChanges(old, new)
    known[key] = changes
    return changes
  }

  /// How many questions were asked.
  var count: Int { known.values.reduce(0) { $0 + $1.count } }
}

/// Compares two contents by all questions, and finds the causes of what differs.
struct ContentComparison {
  private struct Found {
    let change: AnswerChanges.Change
    let causes: [ContentChange]
  }

  static let policyLost = "policyLost"
  static let policyGained = "policyGained"
  static let configuration = "appConfig"

  private var found: [Found] = []

  init(
    _ before: ShareContent, _ after: ShareContent, on platform: DevicePlatform, _ answers: inout KnownAnswers
  ) {
    let changes = answers.changes(ComparedShare(before, on: platform), ComparedShare(after, on: platform)).changes
    guard !changes.isEmpty else { return }
    var search = CauseSearch(from: before, to: after, on: platform)
    found = changes.map { change in
      Found(
        change: change,
        causes: search.smallest(of: change.questions, at: change.range.lowerBound, restoring: change.old))
    }
  }

  /// Whether a cause is that a document applies to the users in one version alone.
  var isAboutTargeting: Bool { found.contains { $0.causes.contains(where: \.isAboutTargeting) } }

  /// `moved` are the groups that the users have left and joined, with one of these users.
  func differences(
    _ describer: inout ChangeDescriber, _ moved: (moves: GroupMoves, user: TenantUser)?
  ) -> [DecisionDifference] {
    var differences: [DecisionDifference] = []
    for found in found {
      let questions = found.change.questions
      let causes = found.causes.map { describer.member(of: $0, moved) }
      differences.add(
        DecisionDifference(
          decision: questions.decision, title: questions.title, subjects: [questions.subject(found.change.range)],
          old: found.change.old.text, new: found.change.new.text,
          effect: found.change.new.effect(from: found.change.old), causes: causes.eachOnce,
          isConfiguration: questions.decision == Self.configuration))
    }
    return differences
  }

  /// Whether there is a policy comes first: the other questions do not come up if only one version has one.
  static func questions(_ old: ComparedShare, _ new: ComparedShare) -> [Questions] {
    let lost = old.policy != nil
    let policy = Questions.one(
      lost ? policyLost : policyGained, lost ? "no policy any longer (status 225)" : "a policy for the first time"
    ) { share in share.policy == nil ? Answer("no policy", 0) : Answer("a policy", 1) }
    guard (old.policy == nil) == (new.policy == nil) else { return policy }
    return policy + DecisionQuestions(values: QuestionValues(sides: [old, new])).all + entries(old, new)
  }

  private static func entries(_ old: ComparedShare, _ new: ComparedShare) -> [Questions] {
    let keys = Set([old, new].flatMap { $0.appConfig.sources.flatMap { $0.entries.map(\.name) } }).sorted()
    return Questions.each(configuration, "app configuration", keys.map { ($0, $0) }) { share, key in
      let values = share.appConfig.strings(key)
      let distinct = values.enumerated().filter { values.firstIndex(of: $0.element) == $0.offset }.map(\.element)
      return Answer(distinct.isEmpty ? "not set" : distinct.joined(separator: " | "))
    }
  }
}

extension [DecisionDifference] {
  /// Differences that are equal but for their subjects become one.
  fileprivate mutating func add(_ difference: DecisionDifference) {
    guard let index = firstIndex(where: { $0.isLike(difference) }) else {
      append(difference)
      return
    }
    for subject in difference.subjects where !self[index].subjects.contains(subject) {
      self[index].subjects.append(subject)
    }
  }
}

extension [ChangedMember] {
  /// Several changes may come from one member.
  fileprivate var eachOnce: [ChangedMember] {
    var seen: Set<ChangedMember> = []
    return filter { seen.insert($0).inserted }
  }
}

extension DecisionDifference {
  fileprivate func isLike(_ other: DecisionDifference) -> Bool {
    decision == other.decision && title == other.title && old == other.old && new == other.new
      && effect == other.effect && causes == other.causes && isConfiguration == other.isConfiguration
  }
}
