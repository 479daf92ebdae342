import JSON
import Support

/// One connection: bytes in, replies out. Knows no descriptor; belongs to the thread that reads.
///
/// Serves scripts: each request is complete before the next one starts, and replies come in that order. While one
/// waits for work, reading goes on up to a limit. Exactly one reply for every request, malformed ones included.
package final class Session {
  private let handler: any MethodHandler
  /// Nil once it is open.
  private var admission: Admission?
  private let limits: SessionLimits
  private let completions: Completions
  private var decoder: FrameDecoder
  private var waiting = WaitingMessages()
  private var batch: Batch?
  private var pending: PendingRequest?
  private var nextTicket = 0
  private var reply = ReplyWriter()
  private var methodNames = MethodNames()
  private var outbox = Outbox()
  private var input = Input.open
  private var isAbandoned = false

  private enum Input {
    case open
    /// No more bytes come; some may not have been looked at.
    case ending
    /// No more messages come.
    case ended
  }

  /// `wake` may be called from any thread; the owner then calls `run` on its own.
  package init(
    handler: any MethodHandler, admission: Admission? = nil, limits: SessionLimits = SessionLimits(),
    wake: @escaping @Sendable () -> Void
  ) {
    self.handler = handler
    self.admission = admission
    self.limits = limits
    completions = Completions(wake: wake)
    decoder = FrameDecoder(
      maximumMessageBytes: admission == nil ? limits.messageBytes : limits.unauthenticatedMessageBytes)
  }
}

// MARK: - Input and output

extension Session {
  package func receive(_ bytes: UnsafeRawBufferPointer) {
    decoder.append(bytes)
    run()
  }

  /// What has been read is still answered.
  package func endOfInput() {
    decoder.endOfInput()
    if input == .open { input = .ending }
    run()
  }

  /// Takes finished work and goes on with what waited for it, or for room in the output.
  package func run() {
    for completion in completions.takeAll() { finish(completion) }
    while step() {}
  }

  /// False when what more would come is not looked at: after the end, a broken header, too many failures to
  /// authenticate.
  package var inputIsOpen: Bool { input == .open }

  /// False while as much waits as may, and after the end.
  package var wantsInput: Bool { inputIsOpen && !outputIsFull && !waiting.isFull(limits) }

  /// Everything that came is answered, and nothing more can come.
  package var isFinished: Bool { input == .ended && pending == nil && batch == nil && waiting.isEmpty }

  package var hasOutput: Bool { !outbox.isEmpty }

  package func withOutput<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    outbox.withBytes(body)
  }

  package func consumeOutput(_ size: Int) {
    let wasFull = outputIsFull
    outbox.consume(size)
    if wasFull && !outputIsFull { run() }
  }

  /// Nobody will read it, nor what follows.
  package func discardOutput() {
    outbox.close()
    run()
  }

  /// Answers all that has no answer yet with -32002; work that still runs is cancelled and its result dropped.
  package func abandon() {
    isAbandoned = true
    if let pending {
      self.pending = nil
      pending.task.cancel()
      send(RPCError(.shuttingDown), to: pending.id)
    }
    while step() {}
    input = .ended
  }

  private var outputIsFull: Bool { outbox.count >= limits.outputBytes }
}

// MARK: - Order

extension Session {
  /// Does the next thing there is to do; false when there is none, or none may be done now.
  private func step() -> Bool {
    if pending != nil { return readAhead() }
    if outputIsFull && !isAbandoned { return false }
    if batch != nil { return stepBatch() }
    if let message = waiting.takeFirst() {
      resume(message)
      return true
    }
    return readNext(begin(event:))
  }

  /// While a request waits for its work, what comes is only kept.
  private func readAhead() -> Bool {
    !waiting.isFull(limits) && readNext { waiting.append($0) }
  }

  private func readNext(_ body: (FrameEvent) -> Void) -> Bool {
    guard input != .ended, let event = decoder.next() else { return false }
    if case .closed = event { input = .ended } else { body(event) }
    return true
  }

  private func resume(_ waiting: WaitingMessages.Message) {
    switch waiting {
    case .bytes(let bytes): bytes.withUnsafeBufferPointer { begin(event: .message($0)) }
    case .failure(let failure): begin(event: .failure(failure))
    }
  }

  private func begin(event: FrameEvent) {
    switch event {
    case .message(let message):
      if let admission { beginAdmission(admission, message) } else { begin(message) }
    case .failure(let failure):
      send(RPCError(failure), to: .null)
      if let admission { countFailure(of: admission) }
    case .closed: break
    }
  }

  private func begin(_ message: UnsafeBufferPointer<UInt8>) {
    switch ScannedMessage.scan(message, limits: limits.scan) {
    case .single(let envelope): answer(envelope, in: message)
    case .batch(let elements): batch = Batch(message, elements)
    case .failure(let failure): send(RPCError(failure), to: RequestID(failure.id, in: message))
    }
  }

  private func stepBatch() -> Bool {
    guard let envelope = batch?.takeNext(), let message = batch?.message else {
      if let array = batch.take()?.array() { outbox.append(array, framing: decoder.framing) }
      return true
    }
    message.withUnsafeBufferPointer { answer(envelope, in: $0) }
    return true
  }
}

// MARK: - Requests

extension Session {
  private func answer(_ envelope: Envelope, in message: UnsafeBufferPointer<UInt8>) {
    switch envelope {
    case .request(let call, let id): perform(call, for: RequestID(id, in: message), in: message)
    case .notification(let call): perform(call, for: nil, in: message)
    case .response: break
    case .invalid(let reason):
      send(RPCError(.invalidRequest, reason.reason.rawValue), to: RequestID(reason.id, in: message))
    }
  }

  private func perform(_ call: Envelope.Call, for id: RequestID?, in message: UnsafeBufferPointer<UInt8>) {
    guard !isAbandoned else { return send(RPCError(.shuttingDown), to: id) }
    do throws(RPCError) {
      let params = try call.parsedParams(in: message)
      let method = methodNames.name(call.method, in: message)
      var work: Work?
      let isWritten = try reply.result(id: id ?? .null) { writer throws(RPCError) in
        work = try handler.call(method, params, into: &writer)
        return work == nil
      }
      if isWritten { sendReply(to: id) } else if let work { start(work, for: id) }
    } catch {
      send(error, to: id)
    }
  }

  private func start(_ work: Work, for id: RequestID?) {
    nextTicket += 1
    let task = Task(executorPreference: BlockingExecutor.shared) { [completions, ticket = nextTicket] in
      completions.add(.init(ticket: ticket, result: await work.outcome()))
    }
    pending = PendingRequest(ticket: nextTicket, id: id, task: task)
  }

  private func finish(_ completion: Completions.Completion) {
    guard let pending, pending.ticket == completion.ticket else { return }
    self.pending = nil
    switch completion.result {
    case .success(let text):
      reply.result(id: pending.id ?? .null, text: text)
      sendReply(to: pending.id)
    case .failure(let error): send(error, to: pending.id)
    }
  }

  /// A notification has no id, and no answer.
  private func send(_ error: RPCError, to id: RequestID?) {
    guard let id else { return }
    reply.error(id: id, error)
    sendReply(to: id)
  }

  private func sendReply(to id: RequestID?) {
    guard let id else { return }
    if (batch?.replyBytes ?? 0) + reply.bytes.count > limits.replyBytes {
      reply.error(id: id, RPCError(LimitExcess(.reply, limits.replyBytes)))
    }
    if batch == nil {
      outbox.append(reply.bytes, framing: decoder.framing)
    } else {
      batch?.add(reply: reply.bytes)
    }
  }
}

// MARK: - Admission

extension Session {
  /// Only a single request for the one method is looked at.
  private func beginAdmission(_ admission: Admission, _ message: UnsafeBufferPointer<UInt8>) {
    let scanned = ScannedMessage.scan(message, limits: limits.scan)
    if case .single(.request(let call, let id)) = scanned, call.method.text(in: message) == Admission.method {
      perform(call, for: RequestID(id, in: message), in: message)
    } else if scanned.isAnswered {
      send(RPCError(.notAuthenticated), to: RequestID(scanned.id, in: message))
    }
    admission.isOpen ? admit() : countFailure(of: admission)
  }

  private func admit() {
    admission = nil
    decoder.maximumMessageBytes = limits.messageBytes
  }

  private func countFailure(of admission: Admission) {
    admission.countFailure()
    if admission.isLost { input = .ended }
  }
}
