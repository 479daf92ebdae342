import Model
import SQLite
import Support

/// The questions that the launch of an app raises. They are stored at its end, in one commit with everything else that
/// the launch stores, so that the host waits for the disk once.
final class LaunchNotes: Sendable {
  private struct Question: Sendable {
    let question: UserQuestion
    let challenge: Challenge
  }

  private let questions = Lock<[Question]>([])

  var isEmpty: Bool { questions.withLock(\.isEmpty) }

  func add(_ question: UserQuestion, as challenge: Challenge) {
    questions.withLock { $0.append(Question(question: question, challenge: challenge)) }
  }

  /// Stores the challenges, unless the same question is open already. Returns those that are open now, in the order in
  /// which they were noted.
  func store(in transaction: StoreTransaction, language: Language) throws(SQLiteError) -> [Challenge] {
    let directory = try transaction.directory()
    var opened: [Challenge] = []
    for noted in questions.withLock({ $0 }) {
      opened.append(
        try transaction.connection.open(
          noted.challenge, of: noted.question, directory, at: transaction.now, in: language))
    }
    return opened
  }
}
