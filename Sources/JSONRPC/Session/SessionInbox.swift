import JSON
import Support

/// What other threads have for a session: finished work, deadlines, and what goes to the host.
final class SessionInbox: Sendable {
  enum Item: Sendable {
    case completion(ticket: Int, Result<[UInt8], RPCError>)
    case deadline(ticket: Int)
    case progress(ticket: Int, params: [UInt8])
    /// A whole message: a notification or a request of ours.
    case outgoing([UInt8])
  }

  private struct State {
    var items: [Item] = []
    /// Bytes of messages that are not with the session yet.
    var outgoingBytes = 0
    /// Bytes that the session still has for the host.
    var outboxBytes = 0
    var isOpen = true
    var waiters: [@Sendable () -> Void] = []
    var questions = OpenQuestions()
    var watchedProcess: Int32?
  }

  private let state = Lock(State())
  private let wake: @Sendable () -> Void
  /// What may be queued for a host that does not read; replies have room beside it.
  private let outgoingLimit: Int

  init(outgoingLimit: Int, wake: @escaping @Sendable () -> Void) {
    self.outgoingLimit = outgoingLimit
    self.wake = wake
  }

  func add(_ item: Item) {
    state.withLock { $0.items.append(item) }
    wake()
  }

  func takeAll() -> [Item] {
    state.withLock { state in
      guard !state.items.isEmpty else { return [] }
      defer { state.items.removeAll() }
      state.outgoingBytes = 0
      return state.items
    }
  }

  /// The session says how much its host has not read; whoever waits for room is called.
  func setOutboxBytes(_ count: Int) {
    let waiters = state.withLock { state -> [@Sendable () -> Void] in
      state.outboxBytes = count
      guard state.outgoingBytes + count < outgoingLimit / 2 || !state.isOpen else { return [] }
      defer { state.waiters.removeAll() }
      return state.waiters
    }
    for waiter in waiters { waiter() }
  }

  /// The host says nothing more: questions stay without answer. It may still read.
  func endQuestions() {
    for question in state.withLock({ $0.questions.takeAll() }) { question.resume(returning: .unanswered) }
  }

  /// The connection is over.
  func close() {
    state.withLock { $0.isOpen = false }
    endQuestions()
    setOutboxBytes(0)
  }

  var watchedProcess: Int32? { state.withLock { $0.watchedProcess } }

  func answer(_ id: String, _ answer: PeerAnswer) {
    state.withLock { $0.questions.take(id) }?.resume(returning: answer)
  }
}

extension SessionInbox: Peer {
  func notify(_ method: String, params: [UInt8]) -> Bool {
    let message = OutgoingMessage.notification(method, params)
    let isQueued = state.withLock { state in
      guard state.isOpen, state.outgoingBytes + state.outboxBytes < outgoingLimit else { return false }
      state.items.append(.outgoing(message))
      state.outgoingBytes += message.count
      return true
    }
    if isQueued { wake() }
    return isQueued
  }

  var isOpen: Bool { state.withLock { $0.isOpen } }

  func whenReady(_ body: @escaping @Sendable () -> Void) {
    let isReady = state.withLock { state in
      let isReady = !state.isOpen || state.outgoingBytes + state.outboxBytes < outgoingLimit
      if !isReady { state.waiters.append(body) }
      return isReady
    }
    if isReady { body() }
  }

  func ask(_ method: String, params: [UInt8], timeout: Duration) async -> PeerAnswer {
    let id = state.withLock { $0.questions.nextID() }
    let timer = Task(executorPreference: BlockingExecutor.shared) { [weak self] in
      try? await Task.sleep(for: timeout)
      self?.answer(id, .unanswered)
    }
    defer { timer.cancel() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in put(id, method, params, continuation) }
    } onCancel: {
      answer(id, .unanswered)
    }
  }

  func watch(process: Int32) {
    state.withLock { $0.watchedProcess = process }
    wake()
  }

  private func put(
    _ id: String, _ method: String, _ params: [UInt8], _ continuation: CheckedContinuation<PeerAnswer, Never>
  ) {
    let isAsked = state.withLock { state in
      guard state.isOpen, !Task.isCancelled else { return false }
      state.questions.put(id, continuation)
      state.items.append(.outgoing(OutgoingMessage.request(id, method, params)))
      return true
    }
    if isAsked { wake() } else { continuation.resume(returning: .unanswered) }
  }
}

/// The questions to a host that have no answer yet. Ids are "s1", "s2", ….
private struct OpenQuestions {
  private var open: [String: CheckedContinuation<PeerAnswer, Never>] = [:]
  private var count = 0

  mutating func nextID() -> String {
    count += 1
    return "s\(count)"
  }

  mutating func put(_ id: String, _ continuation: CheckedContinuation<PeerAnswer, Never>) {
    open[id] = continuation
  }

  mutating func take(_ id: String) -> CheckedContinuation<PeerAnswer, Never>? { open.removeValue(forKey: id) }

  mutating func takeAll() -> [CheckedContinuation<PeerAnswer, Never>] {
    defer { open.removeAll() }
    return Array(open.values)
  }
}
