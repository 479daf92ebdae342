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
  static let policyLost = "policyLost"
  static let policyGained = "policyGained"
  static let configuration = "appConfig"

  private(set) var differences: [DecisionDifference] = []

  init(
    _ before: ShareContent, _ after: ShareContent, on platform: DevicePlatform, _ answers: inout KnownAnswers,
    _ describer: inout ChangeDescriber
  ) {
    let found = answers.changes(ComparedShare(before, on: platform), ComparedShare(after, on: platform))
    guard !found.changes.isEmpty else { return }
    var causes = CauseSearch(from: before, to: after, on: platform)
    for change in found.changes {
      let members = causes.smallest(of: change.questions, at: change.range.lowerBound, restoring: change.old)
      add(
        DecisionDifference(
          decision: change.questions.decision, title: change.questions.title,
          subjects: [change.questions.subject(change.range)], old: change.old.text, new: change.new.text,
          effect: change.new.effect(from: change.old), causes: members.map { describer.member(of: $0) },
          isConfiguration: change.questions.decision == Self.configuration))
    }
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

  /// Differences that are equal but for their subjects become one.
  private mutating func add(_ difference: DecisionDifference) {
    guard let index = differences.firstIndex(where: { $0.isLike(difference) }) else {
      differences.append(difference)
      return
    }
    for subject in difference.subjects where !differences[index].subjects.contains(subject) {
      differences[index].subjects.append(subject)
    }
  }
}

extension DecisionDifference {
  fileprivate func isLike(_ other: DecisionDifference) -> Bool {
    decision == other.decision && title == other.title && old == other.old && new == other.new
      && effect == other.effect && causes == other.causes && isConfiguration == other.isConfiguration
  }
}
