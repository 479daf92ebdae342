import Glibc
import JSONRPC
import NIOCore
import Support

@testable import Transport

/// A listener on a free port, and clients of it.
final class RunningListener {
  static let token = "right"

  let listener: TCPListener
  private let handlers = Lock<[FakeHandler]>([])

  init(
    _ address: String = "tcp://127.0.0.1:0", times: SessionChannelHandler.Times = .init(),
    limits: SessionLimits = SessionLimits()
  ) throws {
    listener = try TCPListener(
      try ListenAddress(address), times: times, limits: limits, verify: { $0 == Self.token },
      makeHandler: { [handlers] admission in
        let handler = FakeHandler(admission: admission)
        handlers.withLock { $0.append(handler) }
        return handler
      })
  }

  deinit {
    letGo()
    listener.shutDown()
  }

  /// The handlers of all connections, in the order in which those came.
  var all: [FakeHandler] { handlers.withLock { $0 } }

  func letGo() {
    for handler in all { handler.hold.letGo() }
  }

  func connect() throws -> Stream {
    Stream(try BlockingConnection.connect(listener.address))
  }

  /// A client that is authenticated.
  func open() throws -> Stream {
    let client = try connect()
    client.write(line: authenticate())
    _ = client.readLine()
    return client
  }
}

func authenticate(_ token: String = RunningListener.token) -> String {
  #"{"jsonrpc":"2.0","id":0,"method":"authenticate","params":{"token":"\#(token)"}}"#
}
