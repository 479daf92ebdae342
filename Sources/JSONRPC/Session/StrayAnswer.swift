/// An answer of the host that answers nothing.
package struct StrayAnswer: Equatable, Sendable {
  package enum Fault: Sendable {
    /// No question has this id.
    case unknown
    /// The question was answered before.
    case again
    /// The default had happened by then.
    case late
  }

  /// The id as text, cut to 32 characters.
  package let id: String
  /// Of the question; nil when that was none, or was asked too long ago.
  package let method: String?
  package let fault: Fault
}

/// The questions that are over, the newest 64 of them.
struct ClosedQuestions {
  private struct Question {
    let id: String
    let method: String
    let wasAnswered: Bool
  }

  private static let kept = 64
  private var questions: [Question] = []

  mutating func add(_ id: String, _ method: String, wasAnswered: Bool) {
    if questions.count == Self.kept { questions.removeFirst() }
    questions.append(Question(id: id, method: method, wasAnswered: wasAnswered))
  }

  func stray(_ id: String) -> StrayAnswer {
    let question = questions.last { $0.id == id }
    let fault: StrayAnswer.Fault = question.map { $0.wasAnswered ? .again : .late } ?? .unknown
    return StrayAnswer(id: String(id.prefix(32)), method: question?.method, fault: fault)
  }
}
