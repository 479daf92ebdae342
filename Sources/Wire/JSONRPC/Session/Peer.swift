import JSON
import Support

/// The host at the other end of a connection, to send notifications and questions to. Safe to call from any thread.
package protocol Peer: Sendable {
  /// Queues a notification whose params are JSON text. Returns false if it was dropped: the connection is over, or its
  /// host does not read.
  func notify(_ method: String, params: [UInt8]) -> Bool

  /// False if the connection is over.
  var isOpen: Bool { get }

  /// Calls `body` once, on any thread, when there is room again after a drop; immediately if there is room now, or the
  /// connection is over.
  func whenReady(_ body: @escaping @Sendable () -> Void)

  /// Asks the host and waits for its answer. The timeout starts with the call. A cancelled task gets no answer.
  func ask(_ method: String, params: [UInt8], timeout: Duration) async -> PeerAnswer

  /// From now on, the death of this process counts as the end of input. Returns false if the transport does not watch
  /// processes.
  func watch(process: Int32) -> Bool
}

/// The outcome of a question to a host.
package enum PeerAnswer: Equatable, Sendable {
  /// JSON text for `JSONDocument`. It may contain a PIN or a token, so it is cleared when released.
  case result(ClearedBytes)
  /// An error from the host.
  case failure(code: Int, message: String)
  /// No answer in time, or the connection is over: the default applies.
  case unanswered
}

/// Our messages to the host.
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

/// Questions to a host that have no answer yet. Their ids are "s1", "s2", ….
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

  /// Returns false if nobody can answer the question any longer.
  mutating func put(_ id: String, _ method: String, _ message: [UInt8], _ continuation: Continuation) -> Bool {
    guard !hasEnded else { return false }
    open[id] = Question(method: method, continuation: continuation)
    unsent.append((id, message))
    return true
  }

  /// The messages of the questions that are still open, in the order in which they were asked.
  mutating func takeUnsent() -> [[UInt8]] {
    guard !unsent.isEmpty else { return [] }
    defer { unsent.removeAll() }
    return unsent.map(\.message)
  }

  /// Takes a question out, because it was answered or never will be.
  mutating func take(_ id: String, isAnswer: Bool) -> Continuation? {
    if !unsent.isEmpty { unsent.removeAll { $0.id == id } }
    guard let question = open.removeValue(forKey: id) else { return nil }
    closed.add(id, question.method, wasAnswered: isAnswer)
    return question.continuation
  }

  /// Classifies an answer whose question is not open.
  func stray(_ id: String) -> StrayAnswer { closed.stray(id) }

  /// Takes all open questions out. No more can be asked.
  mutating func end() -> [Continuation] {
    hasEnded = true
    unsent.removeAll()
    defer { open.removeAll() }
    return open.values.map(\.continuation)
  }
}

/// An answer of the host to no open question.
package struct StrayAnswer: Equatable, Sendable {
  package enum Fault: Sendable {
    /// No question has this id.
    case unknown
    /// The question was answered before.
    case again
    /// The default had been applied already.
    case late
  }

  /// The id as text, cut to 32 characters.
  package let id: String
  /// The method of the question; `nil` if the id is unknown or too old.
  package let method: String?
  package let fault: Fault
}

/// The newest 64 closed questions.
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
