import Bridge
import Glibc
import JSON
import JSONRPC
import Support
import Transport

/// Exchanges messages with a core in this process, or with a server.
protocol Conversation {
  /// Readable when more may have arrived.
  var descriptor: Int32 { get }

  func send(_ request: CallRequest) throws
  /// The next message that has arrived; `nil` if there is none yet. Never waits.
  func receive() throws -> JSONValue?
  func end()
}

/// A conversation with a core in this process.
final class LocalConversation: Conversation {
  private let bridge: Bridge
  private let session: Session
  private let wakeUp: EventDescriptor
  private var output: [UInt8] = []

  init(with bridge: Bridge) {
    self.bridge = bridge
    let wakeUp = EventDescriptor()
    self.wakeUp = wakeUp
    session = Session(handler: bridge.connect()) { wakeUp.signal() }
  }

  var descriptor: Int32 { wakeUp.descriptor }

  /// The reply may be ready at once, without anything that would wake the owner.
  func send(_ request: CallRequest) {
    request.text.withUnsafeBytes { session.receive($0) }
    wakeUp.signal()
  }

  func receive() throws -> JSONValue? {
    wakeUp.clear()
    session.run()
    while session.hasOutput {
      let piece = session.withOutput { Array($0) }
      output += piece
      session.consumeOutput(piece.count)
    }
    guard let end = output.firstIndex(of: UInt8(ascii: "\n")) else { return Optional.none }
    defer { output.removeSubrange(...end) }
    return try JSONValue(parsing: Array(output[..<end]))
  }

  func end() { bridge.end() }
}

/// A conversation with a server. Whoever waits for a message sets the time limit.
final class ServerConversation: Conversation {
  private let connection: BlockingConnection
  private let limit: Duration

  /// Throws exit code 69 if the server cannot be reached.
  init(to address: ListenAddress, within limit: Duration = BlockingConnection.connectLimit) throws {
    connection = try Self.orUnavailable { try BlockingConnection(to: address, within: limit) }
    self.limit = limit
  }

  var descriptor: Int32 { connection.descriptor }

  func send(_ request: CallRequest) throws {
    try Self.orUnavailable { try connection.send(request.text, within: limit) }
  }

  func receive() throws -> JSONValue? {
    guard let line = try Self.orUnavailable({ try connection.receivedLine() }) else { return Optional.none }
    return try JSONValue(parsing: line)
  }

  func end() {}

  static func orUnavailable<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch {
      throw CommandFailure(exitCode: 69, message: "\(error)")
    }
  }
}
