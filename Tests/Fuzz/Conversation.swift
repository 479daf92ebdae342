import JSONRPC
import Support

/// One connection from its first byte to its last reply, held as the transports hold it: nothing is delivered while the
/// session wants none, and what it has to say is taken in pieces.
struct Conversation {
  private let session: Session
  private let wakeUps: Semaphore
  private var output: [UInt8] = []

  init(_ input: FuzzInput) {
    let admission = input.needsToken ? Admission { $0.elementsEqual("t".utf8) } : nil
    let wakeUps = Semaphore()
    self.wakeUps = wakeUps
    session = Session(handler: FuzzHandler(admission: admission), admission: admission, limits: input.limits) {
      wakeUps.signal()
    }
  }

  /// All that it answers.
  consuming func output(of pieces: [ArraySlice<UInt8>]) -> [UInt8] {
    for piece in pieces {
      while session.inputIsOpen && !session.wantsInput { advance() }
      guard session.inputIsOpen else { break }
      piece.withUnsafeBytes { session.receive($0) }
    }
    session.endOfInput()
    while !session.isFinished || session.hasOutput { advance() }
    return output
  }

  /// A session that can do neither, and is not done, waits here until libFuzzer's time limit makes it a finding.
  private mutating func advance() {
    if session.hasOutput { takeOutput() } else { wakeUps.wait() }
    session.run()
  }

  private mutating func takeOutput() {
    let taken = session.withOutput { bytes in
      let part = bytes.prefix(100)
      output += part
      return part.count
    }
    session.consumeOutput(taken)
  }
}
