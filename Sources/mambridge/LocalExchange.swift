import JSONRPC
import Support

/// Asks a handler in this process, over the same session that a connection has.
struct LocalExchange {
  let handler: any MethodHandler

  /// The reply to one request, when it is there.
  func answer(to request: [UInt8]) -> [UInt8] {
    let wakeUp = Semaphore()
    let session = Session(handler: handler) { wakeUp.signal() }
    request.withUnsafeBytes { session.receive($0) }
    session.endOfInput()
    while !session.isFinished {
      wakeUp.wait()
      session.run()
    }
    var answer: [UInt8] = []
    while session.hasOutput {
      let piece = session.withOutput { Array($0) }
      answer += piece
      session.consumeOutput(piece.count)
    }
    return answer
  }
}
