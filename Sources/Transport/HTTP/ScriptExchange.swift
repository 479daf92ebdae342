import JSONRPC
import NIOCore

/// One message and its reply, over a session of their own. On one event loop.
final class ScriptExchange {
  private let handler: ScriptHandler
  private let session: Session
  private var output: [UInt8] = []
  /// Nil where none is due, as for a notification.
  private(set) var reply: ArraySlice<UInt8>?

  init(_ handler: any MethodHandler, limits: SessionLimits, wake: @escaping @Sendable () -> Void) {
    self.handler = ScriptHandler(handler)
    session = Session(handler: self.handler, limits: limits, wake: wake)
  }

  /// Everything is done, and the reply, if there is one, is there.
  var isFinished: Bool { session.isFinished }

  /// A header stands before the body, for a body may have line feeds in it.
  func begin(_ body: ByteBuffer) {
    Array("Content-Length: \(body.readableBytes)\r\n\r\n".utf8).withUnsafeBytes(session.receive)
    body.withUnsafeReadableBytes(session.receive)
    session.endOfInput()
    collect()
  }

  func resume() {
    session.run()
    collect()
  }

  /// What only waits for something to tell tells what it has.
  func endOfInput() { handler.endWaiting() }

  func abandon() {
    session.abandon()
    collect()
  }

  private func collect() {
    while session.hasOutput {
      let count = session.withOutput { bytes in
        output += bytes
        return bytes.count
      }
      session.consumeOutput(count)
      takeMessages()
    }
  }
}

// MARK: - Messages

extension ScriptExchange {
  /// Progress is not the reply, and there is nowhere to tell it.
  private func takeMessages() {
    while let message = nextMessage() {
      if !message.starts(with: Self.notification) { reply = message }
      output.removeSubrange(..<message.endIndex)
    }
  }

  /// Nil when it is not whole.
  private func nextMessage() -> ArraySlice<UInt8>? {
    guard let colon = output.firstIndex(of: UInt8(ascii: ":")),
      let end = output[colon...].firstIndex(of: UInt8(ascii: "\n")),
      let count = Int(String(decoding: output[(colon + 2)..<(end - 1)], as: UTF8.self)),
      output.count >= end + 3 + count
    else { return nil }
    return output[(end + 3)..<(end + 3 + count)]
  }

  private static let notification = Array(#"{"jsonrpc":"2.0","method":"#.utf8)
}
