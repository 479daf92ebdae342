import JSON
import JSONRPC
import Support

/// Methods whose answers depend on what else goes on.
enum Lively: String {
  /// Puts a question to the host.
  case ask
  /// Waits for something to tell, for a short time.
  case wait
  /// Tells its progress, then commits, then answers.
  case commit

  func work(_ peer: (any Peer)?) -> Work {
    switch self {
    case .ask: Work { () async throws(RPCError) in await Self.answer(of: peer) }
    case .wait:
      Work(isWaiting: true) { () async throws(RPCError) in
        try? await Task.sleep(for: .milliseconds(2))
        return Array("[]".utf8)
      }
    case .commit:
      Work { () async throws(RPCError) in
        Progress.report?(ProgressReport(.begin, message: "half"))
        guard CommitPoint.current?.pass() ?? true else { throw RPCError(.cancelled) }
        return Array("true".utf8)
      }
    }
  }

  private static func answer(of peer: (any Peer)?) async -> [UInt8] {
    let answer = await peer?.ask("question", params: Array("{}".utf8), timeout: .milliseconds(5))
    var writer = JSONWriter()
    if case .result(let text) = answer { text.withBytes { writer.raw($0) } } else { writer.null() }
    return writer.bytes
  }
}

extension Frame {
  /// Whether what comes of it depends on time: handshake, cancel, deadline, and methods that wait or ask.
  func isLively(_ limits: ScanLimits) -> Bool {
    guard case .message(let bytes) = self else { return false }
    return bytes.withUnsafeBufferPointer { message in
      switch ScannedMessage.scan(message, limits: limits) {
      case .single(let envelope): envelope.isLively(in: message)
      case .batch(let elements): elements.contains { $0.isLively(in: message) }
      case .failure: false
      }
    }
  }
}

extension Envelope {
  fileprivate func isLively(in message: UnsafeBufferPointer<UInt8>) -> Bool {
    switch self {
    case .request(let call, _), .notification(let call): call.isLively(in: message)
    case .response, .invalid: false
    }
  }
}

extension Envelope.Call {
  fileprivate func isLively(in message: UnsafeBufferPointer<UInt8>) -> Bool {
    let name = method.text(in: message)
    if name == Session.handshake || name == "$/cancelRequest" || Lively(rawValue: name) != nil { return true }
    guard let params, let text = try? JSONDocument(parsing: UnsafeRawBufferPointer(message.part(params))) else {
      return false
    }
    return text.root.member(reservedParamName) != nil
  }
}
