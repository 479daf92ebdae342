import HTTPServer
import JSONRPC
import NIOCore
import NIOHTTP1
import Support

/// Answers the requests of one connection to the bridge: calls, the document, the streams and the page.
final class BridgeApplication: HTTPApplication {
  private let service: SocketService
  private let gate: HTTPGate
  private let admission: Admission
  private let times: ConnectionTimes
  /// What the accepted request asks for.
  private var resource = HTTPResource.call

  init(service: SocketService, gate: HTTPGate, admission: Admission, times: ConnectionTimes) {
    (self.service, self.gate, self.admission, self.times) = (service, gate, admission, times)
  }

  /// A connection without a token is closed soon.
  var idleTime: TimeAmount { admission.isOpen ? times.idle : times.admission }

  func accept(_ head: HTTPRequestHead, at target: RequestTarget) throws(HTTPReply) -> Int {
    do throws(HTTPRefusal) {
      resource = try gate.resource(of: head, at: target)
      if resource.needsToken { try admit(head) }
      if resource.takesBody {
        try gate.checkBody(head, for: resource)
        return gate.limit(for: resource)
      }
      guard !head.hasBody else { throw .badRequest("This request must not have a body.") }
      try EventStream.check(head)
      return 0
    } catch {
      throw reply(error, head)
    }
  }

  private func admit(_ head: HTTPRequestHead) throws(HTTPRefusal) {
    do throws(RPCError) {
      try admission.present(head.bearerToken ?? "")
    } catch {
      throw error.code == RPCErrorCode.notAuthenticated.rawValue ? .unauthorized : .noRoom
    }
  }

  func begin(
    _ head: HTTPRequestHead, at target: RequestTarget, _ body: [ClearedBytes], on connection: HTTPConnection
  ) -> any HTTPWork {
    switch resource {
    case .call: return call(head, body, connection)
    case .document:
      let text = service.document?() ?? ""
      connection.finish(Self.reply(.ok, [("Content-Type", "application/json")], [ByteBuffer(string: text)]))
    case .file(let file):
      let fields = [("Content-Type", file.contentType)] + PageFiles.fields
      connection.finish(Self.reply(.ok, fields, [ByteBuffer(bytes: file.bytes)]))
    case .events: return stream(head, connection) { [service] in service.events?.events(after: $0) }
    case .log(let level):
      return stream(head, connection) { [service] in await service.log?.lines(from: level, after: $0) }
    case .record:
      let lines = service.record?.bytes ?? []
      connection.finish(Self.reply(.ok, [("Content-Type", "application/x-ndjson")], [ByteBuffer(bytes: lines)]))
    case .recordLine, .newRecord: keep(head, body, connection)
    case .examination: return examine(head, body, connection)
    }
    return NoWork()
  }

  private func call(_ head: HTTPRequestHead, _ body: [ClearedBytes], _ connection: HTTPConnection) -> any HTTPWork {
    guard let message = body.count == 1 ? body[0] : ClearedBytes(joining: body) else {
      connection.finish(reply(.noMemory, head))
      return NoWork()
    }
    let exchange = MessageExchange(service.makeHandler(nil), limits: service.limits, on: connection)
    exchange.begin(message)
    return exchange
  }

  private func examine(_ head: HTTPRequestHead, _ body: [ClearedBytes], _ connection: HTTPConnection) -> any HTTPWork {
    guard let examiner = service.examiner, let text = ClearedBytes(joining: body) else {
      connection.finish(reply(.noMemory, head))
      return NoWork()
    }
    return PageExamination(text, by: examiner, on: connection)
  }

  /// Adds a line to the record of the page, or lets the record begin with it.
  private func keep(_ head: HTTPRequestHead, _ body: [ClearedBytes], _ connection: HTTPConnection) {
    do throws(HTTPRefusal) {
      try service.record?.keep(body, isFirst: resource == .newRecord)
      connection.finish(Self.reply(.noContent, []))
    } catch {
      connection.finish(reply(error, head))
    }
  }

  private func stream(
    _ head: HTTPRequestHead, _ connection: HTTPConnection,
    _ open: @escaping @Sendable (String?) async -> EventStream.Events?
  ) -> any HTTPWork {
    guard let stream = EventStream(head, on: connection, heartbeat: times.heartbeat, open) else {
      connection.finish(reply(.shuttingDown, head))
      return NoWork()
    }
    return stream
  }

  func refusal(_ fault: HTTPFault, of head: HTTPRequestHead?) -> HTTPReply? {
    reply(HTTPRefusal(fault, tooLarge: gate.tooLarge(for: resource)), head)
  }

  /// A stranger gets one refusal, and then the connection ends.
  private func reply(_ refusal: HTTPRefusal, _ head: HTTPRequestHead?) -> HTTPReply {
    let fields = refusal.headers + [("Content-Type", "text/plain; charset=utf-8")]
    let text = head?.method == .HEAD ? "" : refusal.message + "\n"
    return Self.reply(
      refusal.status, fields, [ByteBuffer(string: text)], closes: refusal.closes || !admission.isOpen)
  }

  /// Adds what every response says.
  static func reply(
    _ status: HTTPResponseStatus, _ fields: [(name: String, value: String)], _ body: [ByteBuffer] = [],
    closes: Bool = false
  ) -> HTTPReply {
    HTTPReply(status, fields + commonFields, body: body, closes: closes)
  }

  static let commonFields = [
    (name: "Cache-Control", value: "no-store"), (name: "X-Content-Type-Options", value: "nosniff"),
  ]
}

/// An answer that is there already.
private final class NoWork: HTTPWork {
  func clientDidEnd() {}
  func serverDidEnd() {}
  func abandon() -> Bool { true }
}
