/// The questions to a host that have no answer yet. Ids are "s1", "s2", ….
struct OpenQuestions {
  typealias Continuation = CheckedContinuation<PeerAnswer, Never>

  private struct Question {
    let method: String
    let continuation: Continuation
  }

  private var open: [String: Question] = [:]
  private var unsent: [(id: String, message: [UInt8])] = []
  private var closed = ClosedQuestions()
  private var count = 0
  private var hasEnded = false

  mutating func nextID() -> String {
    count += 1
    return "s\(count)"
  }

  /// False when nobody would answer it any more.
  mutating func put(_ id: String, _ method: String, _ message: [UInt8], _ continuation: Continuation) -> Bool {
    guard !hasEnded else { return false }
    open[id] = Question(method: method, continuation: continuation)
    unsent.append((id, message))
    return true
  }

  /// The messages of those that are still open, in the order in which they were put.
  mutating func takeUnsent() -> [[UInt8]] {
    guard !unsent.isEmpty else { return [] }
    defer { unsent.removeAll() }
    return unsent.map(\.message)
  }

  /// For its answer, or because there will be none.
  mutating func take(_ id: String, isAnswer: Bool) -> Continuation? {
    if !unsent.isEmpty { unsent.removeAll { $0.id == id } }
    guard let question = open.removeValue(forKey: id) else { return nil }
    closed.add(id, question.method, wasAnswered: isAnswer)
    return question.continuation
  }

  /// What an answer is whose question is not open.
  func stray(_ id: String) -> StrayAnswer { closed.stray(id) }

  /// Those that are open; there will be no others.
  mutating func end() -> [Continuation] {
    hasEnded = true
    unsent.removeAll()
    defer { open.removeAll() }
    return open.values.map(\.continuation)
  }
}
