import BridgeAPI
import JSON
import MAM

/// The one way to declare a question: the plain method and `policy.explain` of it are the same answer, without and with
/// its reasons.
extension MethodTable.Declarations {
  /// A question to one account's policy. `answer` is given what can be asked, the call's parameters and the state that
  /// they are asked about.
  mutating func question<M: Method, Answer: Explicable>(
    _ method: M.Type, _ answer: @escaping @Sendable (PolicyQuestions, M.Params, CoreState) -> Answer
  ) where M.Params: Targeted, Answer.Value == M.Result {
    add(question: M.name) {
      MemoryQuestion<M, Asked<M.Params>, Answer>(arrival: { Asked($0, on: $1) }) { asked, state throws(MAMError) in
        answer(try state.questions(about: asked.account), asked.params, state)
      }
    }
  }

  /// As above, for an answer that holds words for the user.
  mutating func question<M: Method, Answer: Explicable>(
    telling method: M.Type, _ answer: @escaping @Sendable (PolicyQuestions, M.Params, CoreState, Language) -> Answer
  ) where M.Params: Targeted, Answer.Value == M.Result {
    add(question: M.name) {
      MemoryQuestion<M, AskedInLanguage<M.Params>, Answer>(arrival: { AskedInLanguage($0, on: $1) }) {
        asked, state throws(MAMError) in
        answer(try state.questions(about: asked.subject?.account), asked.params, state, asked.language)
      }
    }
  }

  mutating func question<M: Method, Answer: Explicable>(
    _ method: M.Type, _ answer: @escaping @Sendable (PolicyQuestions) -> Answer
  ) where M.Params == PolicyTarget, Answer.Value == M.Result {
    question(method) { questions, _, _ in answer(questions) }
  }

  /// A question about somebody that has an answer also where a policy is required and none is there.
  mutating func question<M: Method, Answer: Explicable>(
    always method: M.Type, _ answer: @escaping @Sendable (M.Params, CoreState) -> Answer
  ) where M.Params: Targeted, Answer.Value == M.Result {
    add(question: M.name) {
      MemoryQuestion<M, Asked<M.Params>, Answer>(arrival: { Asked($0, on: $1) }) { asked, state throws(MAMError) in
        answer(asked.params, state)
      }
    }
  }

  /// A question about the app as a whole.
  mutating func question<M: Method, Answer: Explicable>(
    unaddressed method: M.Type, _ answer: @escaping @Sendable (CoreState) -> Answer
  ) where M.Params == NoParameters, Answer.Value == M.Result {
    add(question: M.name) {
      MemoryQuestion<M, Unaddressed, Answer>(arrival: { _, _ in Unaddressed() }) { _, state throws(MAMError) in
        answer(state)
      }
    }
  }

  /// A question that may wait for a disk or for somebody.
  mutating func question<M: Method, Answer: Explicable>(
    working method: M.Type, _ answer: @escaping WorkQuestion<M, Asked<M.Params>, Answer>.Body
  ) where M.Params: Targeted, Answer.Value == M.Result {
    question(working: method, queue: { _ in nil }, answer, doing: answer)
  }

  /// One whose method does what it answers. Both must decide by the same function.
  mutating func question<M: Method, Answer: Explicable>(
    working method: M.Type, queue: @escaping @Sendable (M.Params) -> String?,
    _ answer: @escaping WorkQuestion<M, Asked<M.Params>, Answer>.Body,
    doing action: @escaping WorkQuestion<M, Asked<M.Params>, Answer>.Body
  ) where M.Params: Targeted, Answer.Value == M.Result {
    add(question: M.name) {
      WorkQuestion<M, Asked<M.Params>, Answer>(
        queue: queue, arrival: { Asked($0, on: $1) }, action: action, answer: answer)
    }
  }
}
