import JSON
import MAM
import Model
import Policy

/// A question whose parameters are read, which can be answered again and again: by the policies in force, and under
/// assumptions.
struct PreparedQuestion: Sendable {
  /// Whose policy decides; `nil` if the question is about no particular account.
  let subject: EffectiveIdentity?
  let explain: @Sendable () async throws(MAMError) -> ExplainPolicy.Result
  /// Answers without the explanation, which takes longer than the answer.
  let attempt: @Sendable () async throws(MAMError) -> AttemptedAnswer
}

/// An answer and what led to it, for comparison with other answers.
struct AttemptedAnswer: Sendable {
  /// The answer, as the method returns it.
  let verdict: JSONValue
  /// The part of the answer that a policy decides. Protected content differs each time that it is protected.
  let essence: JSONValue
  /// The answer in words: "saving to Dropbox is blocked".
  let words: String
  /// Why, in the order of the explanation.
  let grounds: [Ground]

  struct Ground: Hashable, Sendable {
    let rule: PolicyRule
    /// A setting of the policy in question; `nil` if no setting or another policy decided.
    let setting: SettingName?
  }

  /// Each setting of the policy in question that decided, once.
  var settings: [SettingName] {
    var seen: Set<SettingName> = []
    return grounds.compactMap(\.setting).filter { seen.insert($0).inserted }
  }
}

extension AttemptedAnswer.Ground {
  init(_ reason: Reason) {
    self.init(rule: reason.rule, setting: reason.other == nil ? reason.setting : nil)
  }
}
