import JSON
import Model
import Policy
import Support

/// Adds verbose lines to the log of a core.
package struct Trace: Sendable {
  let live: LiveState

  /// Adds a line if verbose logging is on; otherwise reads only one flag. Never blocks.
  package func callAsFunction(_ category: LogCategory, _ line: @escaping VerboseLog.Line) {
    guard live.verbose.isOn, live.verbose.add(category, at: live.now, line) else { return }
    Task(executorPreference: BlockingExecutor.shared) { [weak live = live.stored] in
      guard let live else { return }
      guard let log = try? live.refresh().log else { return live.verbose.postpone() }
      live.verbose.write(to: log)
    }
  }

  /// Writes the remaining lines before the process ends. May block.
  package func settle() {
    guard !live.verbose.isSettled, let log = try? live.refresh().log else { return }
    live.verbose.write(to: log)
  }

  /// Adds a policy decision with its reasons. The subject of a question and its answer may contain data of the account.
  /// Of the answer, only a single word is shown, and the booleans in an object.
  package func callAsFunction(
    _ question: String, _ result: Result<TracedAnswer, MAMError>, about identity: EffectiveIdentity?,
    in state: CoreState
  ) {
    self(.policy) {
      let isAboutOne = identity != nil && identity?.view == nil
      let account = identity?.account.map(state.named) ?? (isAboutOne ? state.effectiveAccount?.account : nil)
      let subject: LogMessage = account.map { "\(public: question) for \(personal: $0)" } ?? "\(public: question)"
      switch result {
      case .success(let answer):
        let reasons = answer.reasons.map { $0.line(about: identity, in: state) }.joined(separator: "; ")
        return subject
          + "\(public: answer.value.word): \(public: reasons.isEmpty ? "no rule applies" : reasons)"
      case .failure(let error): return subject + "failed: \(public: error.message)"
      }
    }
  }
}

/// A policy decision for the log.
package struct TracedAnswer: Sendable {
  let value: JSONValue
  let reasons: [Reason]

  package init<Answer: Explicable>(_ answer: Answer) where Answer.Value: FieldValue {
    value = answer.value.jsonValue
    reasons = answer.reasons
  }
}

extension Reason {
  /// The part of the answer, the setting that decided with its value, and the rule.
  fileprivate func line(about identity: EffectiveIdentity?, in state: CoreState) -> String {
    let owner = other ?? identity?.account ?? (identity?.view == nil ? state.effectiveAccount?.reference : nil)
    let policy = owner.flatMap(state.account)?.policy?.effective
    let written = setting.map { "\($0.rawValue) \((policy?.written($0) ?? .null).word)" }
    return [part?.name, written, rule.text].compactMap { $0 }.joined(separator: ", ")
  }
}

extension JSONValue {
  /// The value, if it is one word, a number or a boolean. A value that may contain data is described only by its size,
  /// or by the names of an object's members, with the booleans among them.
  fileprivate var word: String {
    switch self {
    case .bool, .integer, .number: jsonText
    case .null: "not set"
    case .string(let text) where text.count <= 40 && !text.contains(" "): text
    case .string: "a text"
    case .array(let elements): "\(elements.count) values"
    case .object(let object):
      object.members.filter { !$0.value.isNull }
        .map { member in member.value.boolValue.map { "\(member.name) \($0)" } ?? member.name }
        .joined(separator: ", ")
    }
  }
}
