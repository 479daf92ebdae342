import JSON
import Support

/// The host at the other end of a connection, for whoever has something to tell it or to ask. Callable from any thread.
package protocol Peer: Sendable {
  /// Queues a notification, whose params are JSON text. False when it was dropped: the connection is over, or its host
  /// does not read what is queued already.
  func notify(_ method: String, params: [UInt8]) -> Bool

  /// False when the connection is over.
  var isOpen: Bool { get }

  /// Calls `body` once, on any thread, when something may be queued again after a drop; at once when it may now, or when
  /// the connection is over.
  func whenReady(_ body: @escaping @Sendable () -> Void)

  /// Asks the host and waits for its answer; the time runs from the call on. A cancelled task gets none.
  func ask(_ method: String, params: [UInt8], timeout: Duration) async -> PeerAnswer

  /// The death of this process counts as the end of input, where the transport can see it.
  func watch(process: Int32)
}

/// What became of a question to a host.
package enum PeerAnswer: Equatable, Sendable {
  /// Its JSON text, which `JSONDocument` reads. It may hold a PIN or a token, so it is cleared at its end.
  case result(ClearedBytes)
  /// The host's own error.
  case failure(code: Int, message: String)
  /// No answer in time, or the connection is over: the default holds.
  case unanswered
}

/// Messages of ours to the host.
enum OutgoingMessage {
  /// `params` is JSON text.
  static func notification(_ method: String, _ params: [UInt8]) -> [UInt8] {
    message(method, params) { _ in }
  }

  static func request(_ id: String, _ method: String, _ params: [UInt8]) -> [UInt8] {
    message(method, params) { $0.member("id", id) }
  }

  private static func message(
    _ method: String, _ params: [UInt8], _ addID: (inout JSONWriter) -> Void
  ) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("jsonrpc", "2.0")
    addID(&writer)
    writer.member("method", method)
    writer.name("params")
    writer.raw(params)
    writer.endObject()
    return writer.bytes
  }
}

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
