import JSON
import MAM
import Model
import Policy

/// A question whose parameters are read, which can be answered again and again: by the policies in force, and under
/// assumptions.
struct PreparedQuestion: Sendable {
  enum Means: Sendable {
    /// Reads only what the core holds in memory.
    case memory(@Sendable (CoreState) throws(MAMError) -> AttemptedAnswer)
    /// May wait for the disk or a host. Changes nothing, so it does not wait in the method's queue.
    case work(@Sendable (any Rooms) async throws(MAMError) -> AttemptedAnswer)
  }

  /// Whose policy decides; `nil` if the question is about no particular account.
  let subject: EffectiveIdentity?
  let means: Means

  func attempt(in rooms: any Rooms) async throws(MAMError) -> AttemptedAnswer {
    switch means {
    case .memory(let answer): try answer(rooms.state)
    case .work(let answer): try await answer(rooms)
    }
  }

  func explain(in rooms: any Rooms) async throws(MAMError) -> ExplainPolicy.Result {
    explanation(of: try await attempt(in: rooms), in: rooms.state, rooms.language)
  }

  func explanation(of answer: AttemptedAnswer, in state: CoreState, _ language: Language) -> ExplainPolicy.Result {
    let explanation = Explanation(answer.words, answer.verdict, because: answer.reasons, about: subject, in: state)
    var steps = explanation.steps
    if !answer.rules.isEmpty {
      steps.insert(contentsOf: answer.ruleSteps(state.policy(inQuestion: subject)), at: min(1, steps.count))
    }
    let notice = answer.verdict == false ? answer.reasons.first?.refusal : nil
    return ExplainPolicy.Result(
      verdict: answer.verdict, because: steps, refusal: notice?.refusal(in: language))
  }
}

/// An answer and what led to it, for an explanation or for comparison with other answers.
struct AttemptedAnswer: Sendable {
  /// The answer, as the method returns it.
  let verdict: JSONValue
  /// The part of the answer that a policy decides. Protected content differs each time that it is protected.
  let essence: JSONValue
  /// The answer in words: "saving to Dropbox is blocked".
  let words: String
  let reasons: [Reason]
  /// The launch rules behind the answer; empty unless it is that of a conditional launch.
  var rules: [LaunchRuleReport] = []

  struct Ground: Hashable, Sendable {
    let rule: PolicyRule
    /// A setting of the policy in question; `nil` if no setting or another policy decided.
    let setting: SettingName?
  }

  /// The reasons without the values that decided, in their order.
  var grounds: [Ground] {
    reasons.map { Ground(rule: $0.rule, setting: $0.other == nil ? $0.setting : nil) }
  }

  /// Each setting of the policy in question that decided, once.
  var settings: [SettingName] {
    var seen: Set<SettingName> = []
    let fired = rules.filter(\.outcome.hasFired).compactMap { SettingName(rawValue: $0.setting) }
    return (grounds.compactMap(\.setting) + fired).filter { seen.insert($0).inserted }
  }
}
