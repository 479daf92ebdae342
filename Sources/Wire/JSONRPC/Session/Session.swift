// JSONRPC is JSON-RPC 2.0 for one connection, as values: bytes go in, bytes come out, and what happens between them
// is the same on stdio, sockets and HTTP. It knows no descriptor, and of methods only those with `$/`.
//
// Framing/ cuts messages out of the bytes, as lines or with Content-Length. Scanner/ goes once over a message, and
// checks grammar, depth and sizes before anything is built from it. Envelope/ has what the scanner found: spans of
// id, method and params. Session/ decides order: what is answered at once, what runs beside others, what waits, and
// what a cancel or a deadline does to it.
//
// Every request gets exactly one reply, whatever it contains, and a reply is never lost: what the peer does not read
// waits, and what would grow without limit is refused with the name of the limit.

import JSON
import Support

/// One connection: bytes in, replies out. Knows no descriptor; belongs to the reading thread.
///
/// First serves a script: each request is complete before the next one starts, and replies come in that order. While a
/// request waits for its work, reading continues up to a limit. After the handshake, serves a host: calls without work
/// are answered at once and in order, and work runs concurrently. Every request gets exactly one reply, even a
/// malformed one.
package final class Session {
  /// The method after which the connection is a host's.
  package static let handshake = "initialize"
  /// The method after which the connection is not read any longer.
  package static let farewell = "shutdown"

  enum Mode { case script, host }

  enum Input {
    case open
    /// No more bytes will arrive; some may not have been read yet.
    case ending
    /// No more messages will come.
    case ended
  }

  let handler: any MethodHandler
  let limits: SessionLimits
  let inbox: SessionInbox
  /// `nil` once the connection is open.
  var admission: Admission?
  var mode = Mode.script
  // Every message uses these several times, always in short accesses of one thread.
  @exclusivity(unchecked) var decoder: FrameDecoder
  @exclusivity(unchecked) var reply = ReplyWriter()
  @exclusivity(unchecked) var methodNames = MethodNames()
  @exclusivity(unchecked) var outbox = Outbox()
  var waiting = WaitingMessages()
  /// A handshake that waits for everything before it.
  var heldHandshake: WaitingMessage?
  var batch: BatchRun?
  var calls = CallTable()
  /// The call of a script for which later requests wait.
  var blocking: Int?
  /// Bytes of replies that wait for the rest of their batches.
  var batchBytes = 0
  var input = Input.open
  /// The only message of a connection, for `answer`; `nil` for a connection with a stream of messages.
  var onlyMessage: OnlyMessage?
  var isAbandoned = false
  /// Whether the thread serves other connections, too. If so, `run` leaves long work to `runLong`.
  package var sharesThread = false
  /// Whether `run` has left work for `runLong`.
  package private(set) var hasLongWork = false
  private var mayTakeLong = false

  /// `wake` may be called from any thread; the owner then calls `run` on its own thread.
  package init(
    handler: any MethodHandler, admission: Admission? = nil, limits: SessionLimits = SessionLimits(),
    wake: @escaping @Sendable () -> Void
  ) {
    self.handler = handler
    self.admission = admission
    self.limits = limits
    inbox = SessionInbox(outgoingLimit: limits.outputBytes / 2, wake: wake)
    decoder = FrameDecoder(
      maximumMessageBytes: admission == nil ? limits.messageBytes : limits.unauthenticatedMessageBytes)
    handler.connectionDidBegin(inbox)
  }

  deinit {
    inbox.close()
    handler.connectionDidEnd()
  }
}

// MARK: - Input and output

extension Session {
  package func receive(_ bytes: UnsafeRawBufferPointer) {
    decoder.append(bytes)
    run()
  }

  /// Lets `fill` write up to `size` bytes directly into the input buffer and return their number. Does not call it if
  /// no further bytes could be a message.
  package func receive(upTo size: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int) {
    if decoder.append(upTo: size, fill) > 0 { run() }
  }

  /// Messages that were read are still answered. Work that only waits is answered now.
  package func endOfInput() {
    decoder.endOfInput()
    if input == .open { input = .ending }
    run()
  }

  /// Handles what other threads have delivered, and continues with what waited for that or for room in the output.
  package func run() {
    for item in inbox.takeAll(hasRoom: !outputIsFull) { take(item) }
    runSteps()
    if outbox.count >= Outbox.pieceBytes || waiting.isFull(limits) { HeapMemory.releaseSoon() }
    inbox.setOutboxBytes(outbox.count)
    deliverOnlyReply()
  }

  /// Does the work that `run` has left. Must be called on a thread that is not shared.
  package func runLong() {
    mayTakeLong = true
    defer { mayTakeLong = false }
    run()
  }

  /// False if further input will be ignored: after the end, a broken header, or too many failures to authenticate.
  package var inputIsOpen: Bool { input == .open }

  /// False after the end, and while the limits on waiting requests are reached.
  package var wantsInput: Bool { inputIsOpen && !isPausing && !waiting.isFull(limits) }

  /// Whether everything received is answered and nothing more can come.
  package var isFinished: Bool {
    (onlyMessage?.isBegun ?? (input == .ended)) && calls.isEmpty && batch == nil && heldHandshake == nil
      && waiting.isEmpty
  }

  /// Says that the owner of this session looks at `watchedProcess`.
  package func allowWatching() { inbox.allowWatching() }

  /// The process whose death counts as the end of input; `nil` if the host named none.
  package var watchedProcess: Int32? { inbox.watchedProcess }

  package var hasOutput: Bool { !outbox.isEmpty }
  package var outputByteCount: Int { outbox.count }

  /// The next bytes to write: all of them if there are few, a long message in pieces.
  package func withOutput<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    outbox.withBytes(body)
  }

  /// Removes bytes that `withOutput` showed, from the front.
  package func consumeOutput(_ size: Int) {
    let wasFull = outputIsFull
    outbox.consume(size)
    if wasFull && !outputIsFull { run() } else { inbox.setOutboxBytes(outbox.count) }
  }

  /// Nobody reads the output any longer; drops it and everything after it.
  package func discardOutput() {
    outbox.close()
    inbox.close()
    run()
  }

  /// Cancels all calls in flight, as `$/cancelRequest` does: a call that has taken effect still ends.
  package func cancelCalls() {
    for ticket in calls.tickets { stop(ticket) }
    run()
  }

  /// Answers all open requests with -32002. Cancels running work and drops its results.
  package func abandon() {
    isAbandoned = true
    for ticket in calls.tickets {
      guard let call = calls.remove(ticket)?.call else { continue }
      call.task?.cancel()
      call.timer?.cancel()
      if !call.isAnswered { send(RPCError(.shuttingDown), to: call.place) }
    }
    blocking = nil
    mayTakeLong = true
    runSteps()
    endMessages()
    deliverOnlyReply()
  }

  var outputIsFull: Bool { outbox.count >= limits.outputBytes }

  private var isPausing: Bool { outputIsFull || calls.byteCount >= limits.inFlightBytes }
}

// MARK: - Long work

extension Session {
  /// A message or batch of this size is not started on a shared thread, because reading it may take milliseconds.
  static let longBytes = 1 << 18
  /// How long a shared thread serves one session at a time.
  private static let turn = Duration.milliseconds(5)

  private func runSteps() {
    hasLongWork = false
    guard sharesThread && !mayTakeLong else {
      while step() {}
      return
    }
    let end = ContinuousClock.now + Self.turn
    while step() {
      guard ContinuousClock.now >= end else { continue }
      hasLongWork = true
      return
    }
  }

  /// Whether work of this size must be left to `runLong`.
  func leaves(_ byteCount: Int?) -> Bool {
    guard sharesThread, !mayTakeLong, let byteCount, byteCount >= Self.longBytes else { return false }
    hasLongWork = true
    return true
  }
}

// MARK: - Order

extension Session {
  /// Does the next piece of work; false if there is none, or none may run now.
  private func step() -> Bool {
    if blocking != nil { return readAhead() }
    if isPausing && !isAbandoned { return false }
    if batch != nil { return !leaves(batch?.message.count) && stepBatch() }
    if let heldHandshake {
      guard calls.isEmpty else { return readAhead() }
      guard !leaves(heldHandshake.byteCount) else { return false }
      self.heldHandshake = nil
      resume(heldHandshake)
      return true
    }
    if leaves(waiting.firstByteCount) { return false }
    if let message = waiting.takeFirst() {
      resume(message)
      return true
    }
    return beginOnlyMessage() || readNext(begin(event:))
  }

  /// While later requests wait for a request, they are only kept, but cancels and answers take effect at once.
  private func readAhead() -> Bool {
    guard !waiting.isFull(limits) else { return false }
    return readNext { event in
      switch event {
      case .message(let message): keep(message, ScannedMessage.scan(message, limits: limits.scan))
      case .failure(let failure): waiting.append(WaitingMessage(failure))
      case .closed: break
      }
    }
  }

  private func keep(_ message: UnsafeBufferPointer<UInt8>, _ scanned: ScannedMessage) {
    switch scanned {
    case .single(.notification(let call)) where call.method.text(in: message) == CancelRequest.method:
      if let id = CancelRequest.id(in: call, message) { cancel(id) }
    case .single(.response(let response)): take(response, in: message)
    default:
      guard let kept = WaitingMessage(message, scanned) else { return refuse(scanned, in: message) }
      waiting.append(kept)
    }
  }

  private func readNext(_ body: (FrameEvent) -> Void) -> Bool {
    guard input != .ended, !leavesNextMessage, let event = decoder.next() else { return false }
    if case .closed = event { endMessages() } else { body(event) }
    return true
  }

  private var leavesNextMessage: Bool {
    sharesThread && decoder.pendingByteCount >= Self.longBytes && decoder.hasWholeMessage
      && leaves(decoder.pendingByteCount)
  }

  func endMessages() {
    input = .ended
    inbox.endQuestions()
    for ticket in calls.tickets where calls[ticket]?.work.isWaiting == true { calls[ticket]?.task?.cancel() }
  }

  private func resume(_ waiting: WaitingMessage) {
    switch waiting.content {
    case .success(let scanned):
      waiting.withBytes { begin(scanned, in: $0, cancelled: waiting.cancelled) }
    case .failure(let failure): begin(event: .failure(failure))
    }
  }

  func begin(event: FrameEvent) {
    switch event {
    case .message(let message):
      if let admission { return beginAdmission(admission, message) }
      if message.count >= InputBuffer.restingCapacity { HeapMemory.releaseSoon() }
      let scanned = ScannedMessage.scan(message, limits: limits.scan)
      guard hasMemory(for: message.count) else { return refuse(scanned, in: message) }
      begin(scanned, in: message, cancelled: [])
    case .failure(let failure):
      send(admission == nil ? hinting(RPCError(failure)) : RPCError(failure), to: .alone(.null))
      if let admission { countFailure(of: admission) }
    case .closed: break
    }
  }

  /// `cancelled` are the ids of requests in a batch that must not start.
  private func begin(_ scanned: ScannedMessage, in message: UnsafeBufferPointer<UInt8>, cancelled: [RequestID]) {
    switch scanned {
    case .single(let envelope): answer(envelope, in: message, batch: nil)
    case .batch(let elements):
      batch = BatchRun(message, elements, cancelled: cancelled)
      if batch == nil { refuse(scanned, in: message) }
    case .failure(let failure): send(hinting(RPCError(failure)), to: .alone(RequestID(failure.id, in: message)))
    }
  }

  /// Whether there is memory to handle a message of this length. Neither arrays nor jansson survive running out of
  /// memory, and a call copies its parameters up to four times.
  private func hasMemory(for count: Int) -> Bool {
    count < Self.longBytes || HeapMemory.hasRoom(forBytes: 4 * count)
  }

  private func refuse(_ scanned: ScannedMessage, in message: UnsafeBufferPointer<UInt8>) {
    if scanned.isAnswered { send(.outOfMemory, to: .alone(RequestID(scanned.id, in: message))) }
  }

  private func stepBatch() -> Bool {
    guard let envelope = batch?.takeNext(), let message = batch?.message, let replies = batch?.replies else {
      if let replies = batch.take()?.replies, replies.isComplete { send(replies) }
      return true
    }
    message.withBytes { message in
      if let id = batch?.cancelledID(of: envelope, in: message) {
        send(RPCError(.cancelled), to: ReplyPlace(id, in: replies))
      } else {
        answer(envelope, in: message, batch: replies)
      }
    }
    return true
  }
}
