import Glibc
import JSONRPC
import NIOCore
import Support
import TestSupport

@testable import Transport

/// A listener on a free port or in a folder of its own, and clients of it.
final class RunningListener {
  static let token = "right"
  static func isToken(_ text: UnsafeBufferPointer<UInt8>) -> Bool { text.elementsEqual(token.utf8) }
  static let tcp = "tcp://127.0.0.1:0"
  static let http = "http://127.0.0.1:0"
  /// A socket in a folder of the listener's own.
  static let unix = "unix"

  let listener: SocketListener
  private let folder = TemporaryFolder()
  private let handlers = Lock<[FakeHandler]>([])
  private let made = Semaphore()

  init(
    _ address: String = RunningListener.tcp, times: ConnectionTimes = ConnectionTimes(),
    limits: SessionLimits = SessionLimits(), events: (any EventStreamSource)? = nil,
    log: (any LogStreamSource)? = nil, page: PageFiles? = nil,
    record: PageRecord? = nil, examiner: PageExaminer? = nil, owner: uid_t = geteuid(),
    now: @escaping @Sendable () -> Double = monotonicSeconds
  ) throws {
    var service = SocketService(limits: limits, isToken: Self.isToken) { [handlers, made] admission in
      let handler = FakeHandler(admission: admission)
      handlers.withLock { $0.append(handler) }
      made.signal()
      return handler
    }
    service.events = events
    (service.log, service.page, service.record, service.examiner) = (log, page, record, examiner)
    service.slots = ConnectionSlots(limits: limits, now: now)
    service.document = { "{}" }
    let text = address == Self.unix ? "unix://" + folder.file("run/socket") : address
    let place = ListenPlace(try ListenAddress(text))
    listener = try SocketListener(place, service: service, times: times, owner: owner)
  }

  deinit {
    letGo()
    listener.shutDown()
  }

  /// The handlers of all connections, in the order in which those came; over HTTP, of all requests.
  var all: [FakeHandler] { handlers.withLock { $0 } }

  /// Until the first connection or request has its handler, and that its first call.
  func waitForFirstCall() {
    made.wait()
    all[0].waitForCall()
  }

  var port: Int {
    switch listener.address {
    case .tcp(_, let port), .http(_, let port): port
    case .unix: 0
    }
  }

  func letGo() {
    for handler in all { handler.hold.letGo() }
  }

  func connect() throws -> Stream {
    switch listener.address {
    case .http(let host, let port): Stream(try BlockingConnection.connect(host, port, listener.address))
    case .tcp, .unix: Stream(try BlockingConnection.connect(listener.address))
    }
  }

  /// A client that is authenticated where it must be, and served.
  func open() throws -> Stream {
    let client = try connect()
    client.write(line: listener.address.needsToken ? authenticate() : request(0, "big", "[0]"))
    _ = client.readLine()
    return client
  }
}

func authenticate(_ token: String = RunningListener.token) -> String {
  #"{"jsonrpc":"2.0","id":0,"method":"authenticate","params":{"token":"\#(token)"}}"#
}
