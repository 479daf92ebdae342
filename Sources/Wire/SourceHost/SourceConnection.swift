import Glibc
import JSON
import JSONRPC
import MAM
import SourceProtocol
import Support

/// A conversation with a running source, on a thread of its own. Safe to call from any thread.
final class SourceConnection: Sendable {
  /// What the source sends without being asked.
  struct Message {
    let method: String
    let params: JSONNode?
    /// `nil` for a notification.
    let id: JSONValue?
  }

  /// The source does not answer.
  enum Failure: Error, Sendable {
    /// The source answered with an error.
    case error(code: Int, message: String, data: SourceErrorData)
    case late
    case cancelled
    /// The conversation is over; the text says why.
    case over(String)
  }

  /// An answer as it was parsed: no secret in it was copied.
  struct Answer: Sendable {
    private let document: JSONDocument

    /// `document` is a message with a result.
    fileprivate init(_ document: JSONDocument) { self.document = document }

    var result: JSONNode { document.root.member("result") ?? document.root }
  }

  typealias Reply = Result<Answer, Failure>

  struct Listener: Sendable {
    /// Called on the thread of the conversation, so it must not block.
    let didReceive: @Sendable (Message) -> Void
    /// A line of the standard error.
    let didSay: @Sendable (String) -> Void
    /// Called once, when nothing of the program is left. The text says why the conversation ended.
    let didEnd: @Sendable (String) -> Void
  }

  private struct State {
    var unsent: [[UInt8]] = []
    var questions: [Int: CheckedContinuation<Reply, Never>] = [:]
    var lastID = 0
    /// Why the conversation is to end, or has ended.
    var ending: String?
  }

  static let replyBytes = 64 << 20
  private let state = Lock(State())
  private let wakeUp = EventDescriptor()
  private let ended = Semaphore()

  /// Starts the program. `listener` gets nothing before this returns, and of the standard error so many lines a minute.
  static func start(
    _ words: [String], _ listener: Listener, linesInPeriod: Int = SourceSpeech.usualLines
  ) throws(SourceChild.CannotStart) -> SourceConnection {
    let child = try SourceChild(words)
    let connection = SourceConnection()
    if let error = OwnThread.start({ SourceLoop(connection, child, listener, linesInPeriod).run() }) {
      _ = child.end(after: (.zero, .zero))
      throw SourceChild.CannotStart(error: error)
    }
    return connection
  }

  /// Asks the source. `params` is JSON text, which is cleared. If the task is cancelled or the time is up, the source is
  /// told that nobody waits any longer.
  func ask(_ method: String, _ params: [UInt8], until time: ContinuousClock.Instant) async -> Reply {
    await ask(method, params, until: SourceDeadline(time))
  }

  /// Asks the source with a message of the protocol.
  func ask<Method: SourceMethod>(
    _ method: Method.Type, _ params: Method.Params, until time: ContinuousClock.Instant
  ) async -> Reply {
    await ask(Method.name, params.jsonBytes, until: time)
  }

  /// Like `ask`, with a deadline that can be moved.
  func ask(_ method: String, _ params: [UInt8], until deadline: SourceDeadline) async -> Reply {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    let message = Self.message(method, params, id: id)
    defer { deadline.end() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let refusal = state.withLock { state -> Failure? in
          if let ending = state.ending { return .over(ending) }
          guard !Task.isCancelled else { return .cancelled }
          state.questions[id] = continuation
          state.unsent.append(message)
          return nil
        }
        if let refusal { return continuation.resume(returning: .failure(refusal)) }
        // Only now: a deadline that has passed gives up the question at once, and must find it.
        deadline.begin { [weak self] in self?.giveUp(id, .late) }
        wakeUp.signal()
      }
    } onCancel: {
      giveUp(id, .cancelled)
    }
  }

  /// Sends the answer to a request of the source.
  func answer(_ id: JSONValue, _ members: String) {
    send(Array(#"{"jsonrpc":"2.0","id":\#(id.jsonText),\#(members)}"#.utf8))
  }

  /// Lets the program end, and kills it if it does not. Returns at once.
  func end(_ reason: String) {
    state.withLock { $0.ending = $0.ending ?? reason }
    wakeUp.signal()
  }

  /// Waits until nothing of the program is left.
  func waitForEnd() {
    ended.wait()
    ended.signal()
  }

  /// Why the conversation is to end, or has ended; `nil` until then.
  var ending: String? { state.withLock { $0.ending } }

  private func giveUp(_ id: Int, _ failure: Failure) {
    guard let question = state.withLock({ $0.questions.removeValue(forKey: id) }) else { return }
    send(Array(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":\#(id)}}"#.utf8))
    question.resume(returning: .failure(failure))
  }

  private func send(_ message: [UInt8]) {
    state.withLock { $0.unsent.append(message) }
    wakeUp.signal()
  }

  private static func message(_ method: String, _ params: [UInt8], id: Int) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("jsonrpc", "2.0")
    writer.member("id", id)
    writer.member("method", method)
    writer.name("params")
    writer.raw(params)
    writer.endObject()
    return writer.bytes
  }
}

/// What the thread of the conversation needs.
extension SourceConnection {
  fileprivate var wakeDescriptor: Int32 { wakeUp.descriptor }
  fileprivate func clearWakeUp() { wakeUp.clear() }

  fileprivate func takeUnsent() -> [[UInt8]] {
    state.withLock { state in
      defer { state.unsent = [] }
      return state.unsent
    }
  }

  /// Returns false if nobody waits for the answer.
  fileprivate func resolve(_ reply: Reply, for id: Int) -> Bool {
    guard let question = state.withLock({ $0.questions.removeValue(forKey: id) }) else { return false }
    question.resume(returning: reply)
    return true
  }

  fileprivate func finish(_ reason: String) {
    let questions = state.withLock { state in
      state.ending = reason
      defer { state.questions = [:] }
      return state.questions.values
    }
    for question in questions { question.resume(returning: .failure(.over(reason))) }
    ended.signal()
  }
}

/// The thread of a conversation: reads and writes the pipes until the program has ended.
private final class SourceLoop {
  private let connection: SourceConnection
  private let child: SourceChild
  private let listener: SourceConnection.Listener
  private var decoder = FrameDecoder(maximumMessageBytes: SourceConnection.replyBytes)
  private var unsent: [UInt8] = []
  private var speech: SourceSpeech
  /// The messages that answer nothing, of which a source that floods sends too many, in the minute that began at `since`.
  private var strays = (count: 0, since: ContinuousClock.now)
  /// What the program did wrong, so that it is killed.
  private var fault: String?
  /// Whether the program has ended, or has closed its output.
  private var hasEnded = false
  private var errorsAreOpen = true

  /// In a minute.
  private static let mostStrays = 1000
  private static let readBytes = 1 << 16

  init(
    _ connection: SourceConnection, _ child: SourceChild, _ listener: SourceConnection.Listener,
    _ linesInPeriod: Int
  ) {
    (self.connection, self.child, self.listener) = (connection, child, listener)
    speech = SourceSpeech(linesInPeriod: linesInPeriod)
  }

  func run() {
    OwnThread.ignoreBrokenPipes()
    while fault == nil, !hasEnded, connection.ending == nil { step() }
    let end = child.end(after: fault == nil ? SourceChild.patience : (.zero, .zero))
    readErrors()
    let words = speech.lastLine.map { "; its last words: \($0)" } ?? ""
    let reason = connection.ending ?? (fault ?? "the program \(end)") + words
    speech.finish(listener.didSay)
    listener.didEnd(reason)
    connection.finish(reason)
  }

  private func step() {
    var entries = [
      pollfd(fd: connection.wakeDescriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: child.output, events: Int16(POLLIN), revents: 0),
      pollfd(fd: errorsAreOpen ? child.errors : -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: unsent.isEmpty ? -1 : child.input, events: Int16(POLLOUT), revents: 0),
      pollfd(fd: child.handle, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&entries, nfds_t(entries.count), child.handle < 0 ? 1000 : -1) > 0 else {
      // Without a handle, a program that leaves another one with its output open is seen to end only here.
      hasEnded = child.handle < 0 && child.hasEnded
      return
    }
    if entries[0].revents != 0 { connection.clearWakeUp() }
    for message in connection.takeUnsent() { append(message) }
    if entries[2].revents != 0 { readErrors() }
    if entries[1].revents != 0 { readOutput() }
    if !unsent.isEmpty { write() }
    // What the program wrote before it ended comes first.
    if entries[4].revents != 0, entries[1].revents & Int16(POLLIN) == 0 { hasEnded = true }
  }

  private func append(_ message: [UInt8]) {
    message.withUnsafeBufferPointer { decoder.framing.append($0, to: &unsent) }
  }

  private func write() {
    while !unsent.isEmpty {
      let count = uninterrupted {
        unsent.withUnsafeBytes { Glibc.write(child.input, $0.baseAddress, $0.count) }
      }
      // The end of the program is seen when its output ends.
      guard count >= 0 || errno == EAGAIN else { return unsent.clear() }
      guard count > 0 else { return }
      if count == unsent.count { unsent.clear() } else { unsent.removeFirst(count) }
    }
  }

  /// Reads what is there, but not without end.
  private func readErrors() {
    var bytes = [UInt8](repeating: 0, count: 1 << 12)
    for _ in 1...16 {
      let count = bytes.withUnsafeMutableBytes { read(child.errors, $0.baseAddress, $0.count) }
      if count == 0 { errorsAreOpen = false }
      guard count > 0 else { return }
      speech.add(bytes[..<count], listener.didSay)
    }
  }

  private func readOutput() {
    var count = 0
    _ = decoder.append(upTo: Self.readBytes) { buffer in
      count = read(child.output, buffer.baseAddress, buffer.count)
      return max(0, count)
    }
    if count == 0 { decoder.endOfInput() }
    while fault == nil, !hasEnded, let event = decoder.next() {
      switch event {
      case .message(let message): receive(UnsafeRawBufferPointer(message))
      case .failure(.tooLong(let excess)):
        fault = "the program sent a message of more than \(excess.value >> 20) MiB"
      case .failure(.truncated), .closed: hasEnded = true
      case .failure(let failure): fault = "the program does not speak JSON-RPC: \(failure.message)"
      }
    }
  }

  private func receive(_ message: UnsafeRawBufferPointer) {
    guard let document = try? JSONDocument(parsing: message), document.root.memberCount != nil else {
      fault = "the program does not speak JSON-RPC: it printed something other than a JSON object"
      return
    }
    let root = document.root
    if let method = root.member("method")?.string { return receive(method, root) }
    guard let id = root.member("id")?.value.integerValue, root.member("result") != nil || root.member("error") != nil
    else {
      fault = "the program does not speak JSON-RPC: a message is neither a request nor an answer"
      return
    }
    if !connection.resolve(Self.reply(document), for: Int(id)) { countStray() }
  }

  private func receive(_ method: String, _ message: JSONNode) {
    countStray()
    guard fault == nil else { return }
    listener.didReceive(
      SourceConnection.Message(
        method: method, params: message.member("params"), id: message.member("id")?.value))
  }

  private func countStray() {
    let now = ContinuousClock.now
    if strays.since.duration(to: now) > .seconds(60) { strays = (0, now) }
    strays.count += 1
    if strays.count > Self.mostStrays {
      fault = "the program sent more than \(Self.mostStrays) messages in a minute that nobody asked for"
    }
  }

  private static func reply(_ document: JSONDocument) -> SourceConnection.Reply {
    guard let error = document.root.member("error"), !error.isNull else {
      return .success(SourceConnection.Answer(document))
    }
    return .failure(
      .error(
        code: error.member("code")?.value.integerValue.flatMap(Int.init(exactly:)) ?? 0,
        message: error.member("message")?.string ?? "", data: SourceErrorData(given: error.member("data"))))
  }
}
