import JSON
import Support

/// Collects what other threads deliver to a session: finished work, deadlines, and messages to the host.
final class SessionInbox: Sendable {
  enum Item: Sendable {
    case completion(ticket: Int, Result<[UInt8], RPCError>)
    case deadline(ticket: Int, TimeoutMilliseconds)
    case progress(ticket: Int, params: [UInt8])
    /// A whole message: a notification or one of our requests.
    case outgoing([UInt8])

    /// Its approximate size in the output.
    var byteCount: Int {
      switch self {
      case .completion(_, .success(let text)): text.count
      case .completion(_, .failure), .deadline: 0
      case .progress(_, let params): params.count
      case .outgoing(let message): message.count
      }
    }
  }

  private struct State {
    var items: [Item] = []
    /// Bytes of replies and messages that the session has not taken yet.
    var outgoingBytes = 0
    /// Bytes that the session still has for the host.
    var outboxBytes = 0
    var isOpen = true
    var waiters: [@Sendable () -> Void] = []
    var questions = OpenQuestions()
    var watchesProcesses = false
    var watchedProcess: Int32?

    var queuedBytes: Int { outgoingBytes + outboxBytes }
  }

  private let state = Lock(State())
  private let wake: @Sendable () -> Void
  /// The limit for messages queued for a host that does not read; replies have room beside it.
  private let outgoingLimit: Int

  init(outgoingLimit: Int, wake: @escaping @Sendable () -> Void) {
    self.outgoingLimit = max(1, outgoingLimit)
    self.wake = wake
  }

  func add(_ item: Item) {
    state.withLock { state in
      state.items.append(item)
      state.outgoingBytes += item.byteCount
    }
    wake()
  }

  /// Takes questions only if the output has room. A question that times out before that was never asked.
  func takeAll(hasRoom: Bool) -> [Item] {
    state.withLock { state in
      if hasRoom { state.items += state.questions.takeUnsent().map(Item.outgoing) }
      guard !state.items.isEmpty else { return [] }
      defer { state.items.removeAll() }
      // Count these bytes until the session reports how many are left.
      state.outboxBytes += state.outgoingBytes
      state.outgoingBytes = 0
      return state.items
    }
  }

  /// The session reports how many bytes the host has not read. Wakes those who wait for room.
  func setOutboxBytes(_ count: Int) {
    let waiters = state.withLock { state -> [@Sendable () -> Void] in
      state.outboxBytes = count
      guard state.queuedBytes <= outgoingLimit / 2 || !state.isOpen else { return [] }
      defer { state.waiters.removeAll() }
      return state.waiters
    }
    for waiter in waiters { waiter() }
  }

  /// Queues a message that may be dropped; returns false if it was.
  func addIfRoom(_ item: Item) -> Bool {
    let isQueued = state.withLock { state in
      guard state.isOpen, state.queuedBytes < outgoingLimit else { return false }
      state.items.append(item)
      state.outgoingBytes += item.byteCount
      return true
    }
    if isQueued { wake() }
    return isQueued
  }

  /// The host sends no more messages, so open and future questions stay unanswered. It may still read.
  func endQuestions() {
    for question in state.withLock({ $0.questions.end() }) { question.resume(returning: .unanswered) }
  }

  /// The connection is over.
  func close() {
    state.withLock { $0.isOpen = false }
    endQuestions()
    setOutboxBytes(0)
  }

  var watchedProcess: Int32? { state.withLock { $0.watchedProcess } }

  func allowWatching() { state.withLock { $0.watchesProcesses = true } }

  /// Returns a stray answer if no question waits for it.
  func answer(_ id: String, _ answer: PeerAnswer) -> StrayAnswer? {
    let question = state.withLock { $0.questions.take(id, isAnswer: true) }
    guard let question else { return state.withLock { $0.questions.stray(id) } }
    question.resume(returning: answer)
    return nil
  }

  private func giveUp(_ id: String) {
    state.withLock { $0.questions.take(id, isAnswer: false) }?.resume(returning: .unanswered)
  }
}

extension SessionInbox: Peer {
  func notify(_ method: String, params: [UInt8]) -> Bool {
    addIfRoom(.outgoing(OutgoingMessage.notification(method, params)))
  }

  var isOpen: Bool { state.withLock { $0.isOpen } }

  func whenReady(_ body: @escaping @Sendable () -> Void) {
    let isReady = state.withLock { state in
      let isReady = !state.isOpen || state.queuedBytes < outgoingLimit
      if !isReady { state.waiters.append(body) }
      return isReady
    }
    if isReady { body() }
  }

  /// Returns when there is room, or the connection is over.
  func waitForRoom() async {
    guard state.withLock({ $0.isOpen && $0.queuedBytes >= outgoingLimit }) else { return }
    await withCheckedContinuation { continuation in whenReady { continuation.resume() } }
  }

  func ask(_ method: String, params: [UInt8], timeout: Duration) async -> PeerAnswer {
    let id = state.withLock { $0.questions.nextID() }
    let message = OutgoingMessage.request(id, method, params)
    var timer: Timers.Timer?
    defer { timer?.cancel() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        put(id, method, message, continuation)
        timer = Timers.shared.after(timeout) { [weak self] in self?.giveUp(id) }
      }
    } onCancel: {
      giveUp(id)
    }
  }

  func watch(process: Int32) -> Bool {
    let isWatched = state.withLock { state in
      if state.watchesProcesses { state.watchedProcess = process }
      return state.watchesProcesses
    }
    if isWatched { wake() }
    return isWatched
  }

  private func put(
    _ id: String, _ method: String, _ message: [UInt8], _ continuation: CheckedContinuation<PeerAnswer, Never>
  ) {
    let isPut = state.withLock { state in
      // A task that is cancelled from here on looks for its question after taking the lock.
      guard state.isOpen, !Task.isCancelled else { return false }
      return state.questions.put(id, method, message, continuation)
    }
    if isPut { wake() } else { continuation.resume(returning: .unanswered) }
  }
}

extension SessionInbox {
  /// Handles the host's answer to a question. Returns it if it answers no open question.
  func take(_ response: Envelope.Response, in message: UnsafeBufferPointer<UInt8>) -> StrayAnswer? {
    let id = value(response.id, in: message)
    guard case .string(let text)? = id else {
      return StrayAnswer(id: String((id ?? .null).jsonText.prefix(32)), method: nil, fault: .unknown)
    }
    return answer(
      text, PeerAnswer(result: self.text(response.result, in: message), error: value(response.error, in: message)))
  }

  /// The text as it was written; `nil` also if it has no value.
  private func text(_ span: Range<Int>?, in message: UnsafeBufferPointer<UInt8>) -> ClearedBytes? {
    guard let text = span.map({ UnsafeRawBufferPointer(message.part($0)) }),
      (try? JSONDocument(scanned: text)) != nil
    else { return nil }
    return ClearedBytes(text)
  }

  /// `nil` also if the text has no value.
  private func value(_ span: Range<Int>?, in message: UnsafeBufferPointer<UInt8>) -> JSONValue? {
    span.flatMap { try? JSONValue(parsing: UnsafeRawBufferPointer(message.part($0))) }
  }
}

extension PeerAnswer {
  /// A careless host writes both members and sets one to null: a null error is ignored if there is a result.
  fileprivate init(result: ClearedBytes?, error: JSONValue?) {
    if let error, !error.isNull || result == nil {
      let code = error["code"]?.integerValue.flatMap(Int.init(exactly:)) ?? RPCErrorCode.internalError.rawValue
      self = .failure(code: code, message: error["message"]?.stringValue ?? "")
    } else {
      self = result.map(PeerAnswer.result) ?? .unanswered
    }
  }
}
