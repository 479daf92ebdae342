import Support

/// The message of a session that answers only one, and who gets its reply.
struct OnlyMessage {
  /// `nil` once its calls have begun.
  fileprivate(set) var message: ClearedBytes?
  fileprivate var then: (([[UInt8]]) -> Void)?

  var isBegun: Bool { message == nil }
}

extension Session {
  /// Answers one message, which has no frame. The session must get no other input. `endOfInput` says that the peer is
  /// gone: work that only waits answers with what it has.
  ///
  /// Calls `then` once with the pieces of the reply when everything is done; there are none if no reply is due, as for
  /// a notification. `then` runs on the thread that runs the session, and must not use the session. Progress and
  /// messages to the peer are dropped, because only the reply can be sent.
  package func answer(_ message: ClearedBytes, then: @escaping @Sendable ([[UInt8]]) -> Void) {
    onlyMessage = OnlyMessage(message: message, then: then)
    run()
  }

  /// Whether the reply is all that can be sent.
  var hasOnlyMessage: Bool { onlyMessage != nil }

  var framing: OutputFraming { hasOnlyMessage ? .bare : decoder.framing }

  /// False if there is no message that may begin now.
  func beginOnlyMessage() -> Bool {
    guard let message = onlyMessage?.message, !leaves(message.count) else { return false }
    onlyMessage?.message = nil
    message.withBytes { begin(event: .message($0)) }
    return true
  }

  func deliverOnlyReply() {
    guard hasOnlyMessage, isFinished, let then = onlyMessage?.then else { return }
    onlyMessage?.then = nil
    then(outbox.takeAll())
  }
}
