import JSON
import Support

/// Starts, stops and finishes calls whose work runs elsewhere.
extension Session {
  /// `byteCount` is the size of the params.
  func start(
    _ work: Work, of method: String, _ place: ReplyPlace, _ meta: RequestMeta, byteCount: Int, isHandshake: Bool
  ) throws(RPCError) {
    if (mode == .host || work.isWaiting) && calls.count >= limits.inFlight {
      work.takeBack()
      throw RPCError(LimitExcess(.inFlight, limits.inFlight))
    }
    let ticket = calls.nextTicket
    let report = meta.progressToken.map { progressReport(ticket, token: $0.text) }
    let deadline = meta.timeoutMilliseconds.map { ContinuousClock.now + .milliseconds($0.count) }
    let cause = CallCause(method: method, id: place.id?.text ?? [])
    let context = CallContext(report: report, observe: Progress.observe, deadline: deadline, cause: cause)
    let isFirst = calls.add(
      CallInFlight(place: place, work: work, byteCount: byteCount, isHandshake: isHandshake, context: context))
    let mayBeOvertaken = mode == .host || work.isWaiting && place.batch == nil
    if !mayBeOvertaken || isHandshake { blocking = ticket }
    if let timeout = meta.timeoutMilliseconds { setTimer(ticket, timeout) }
    if isFirst { launch(ticket) }
  }

  func take(_ item: SessionInbox.Item) {
    switch item {
    case .completion(let ticket, let result): finish(ticket, result)
    case .deadline(let ticket, let timeout): stop(ticket, after: timeout)
    case .progress(let ticket, let params):
      guard calls[ticket]?.isAnswered == false, !hasOnlyMessage else { return }
      outbox.append(OutgoingMessage.notification("$/progress", params), framing: framing)
    case .outgoing(let message): if !hasOnlyMessage { outbox.append(message, framing: framing) }
    }
  }

  /// Cancels all calls with this id, in flight or waiting; there may be none.
  func cancel(_ id: RequestID) {
    for ticket in calls.unanswered(with: id) { stop(ticket) }
    batch?.cancel(id)
    var count = waiting.cancel(id)
    if heldHandshake?.isRequest(id) == true {
      heldHandshake = nil
      count += 1
    }
    for _ in 0..<count { send(RPCError(.cancelled), to: .alone(id)) }
  }

  /// A host's work starts when there is room for its reply. Otherwise a host that requests much and does not read would
  /// make the replies grow without limit. A script runs one call at a time.
  private func launch(_ ticket: Int) {
    guard let call = calls[ticket] else { return }
    let (work, context, isOfMany) = (call.work, call.context, mode == .host)
    let task = Task(executorPreference: BlockingExecutor.shared) { [inbox] in
      if isOfMany { await inbox.waitForRoom() }
      let result = await CallContext.$current.withValue(context) { await work.outcome() }
      inbox.add(.completion(ticket: ticket, result))
    }
    calls[ticket]?.task = task
    if call.work.isWaiting && input == .ended { task.cancel() }
  }

  private func finish(_ ticket: Int, _ result: Result<[UInt8], RPCError>) {
    guard let call = remove(ticket) else { return }
    if call.isHandshake, case .success = result, call.context.commitPoint.state != .abandoned { mode = .host }
    defer { if call.isHandshake && mode == .host { handler.didAnswerHandshake() } }
    guard !call.isAnswered else { return }
    switch result {
    case .success(let text): send(result: text, to: call.place)
    case .failure(let error): send(error, to: call.place)
    }
  }

  /// A committed call is not cancelled, and a deadline only ends the wait for it. Any other call is answered at once,
  /// and nothing happens; a script still waits for its work to end. Without a timeout, the call is cancelled.
  func stop(_ ticket: Int, after timeout: TimeoutMilliseconds? = nil) {
    guard let call = calls[ticket], !call.isAnswered else { return }
    let nothingHappened = call.context.commitPoint.abandon()
    guard nothingHappened || timeout != nil else { return }
    calls[ticket]?.isAnswered = true
    call.timer?.cancel()
    if nothingHappened {
      call.task?.cancel()
      call.work.takeBack()
    }
    if let timeout {
      let method = call.context.cause.map { "\($0.method): " } ?? ""
      let message = "\(method)no answer within \(timeout.text)"
      let details: JSONObject = ["committed": .bool(!nothingHappened)]
      send(RPCError(.deadlineExceeded, message, details: details), to: call.place)
    } else {
      send(RPCError(.cancelled), to: call.place)
    }
    if call.task == nil { _ = remove(ticket) }
  }

  private func remove(_ ticket: Int) -> CallInFlight? {
    guard let (call, next) = calls.remove(ticket) else { return nil }
    call.timer?.cancel()
    if blocking == ticket { blocking = nil }
    if let next { launch(next) }
    return call
  }

  /// Does not run on the executor of the work, where all threads may be blocked.
  private func setTimer(_ ticket: Int, _ timeout: TimeoutMilliseconds) {
    calls[ticket]?.timer = Timers.shared.after(.milliseconds(timeout.count)) { [inbox] in
      inbox.add(.deadline(ticket: ticket, timeout))
    }
  }

  private func progressReport(_ ticket: Int, token: [UInt8]) -> @Sendable (ProgressReport) -> Void {
    { [inbox] report in
      var writer = JSONWriter()
      writer.beginObject()
      writer.name("token")
      writer.raw(token)
      writer.name("value")
      writer.beginObject()
      writer.member("kind", report.kind.rawValue)
      if let percentage = report.percentage { writer.member("percentage", percentage) }
      if let message = report.message { writer.member("message", message) }
      writer.endObject()
      writer.endObject()
      _ = inbox.addIfRoom(.progress(ticket: ticket, params: writer.bytes))
    }
  }
}
