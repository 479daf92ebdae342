import HTTPServer
import JSONRPC
import NIOHTTP1
import Testing

@testable import Transport

private struct NoEvents: EventStreamSource {
  func events(after lastEventID: String?) -> any AsyncSequence<StreamedEvent, Never> & Sendable {
    AsyncStream<StreamedEvent> { $0.finish() }
  }
}

private struct NoLog: LogStreamSource {
  let levels = ["info", "error"]

  func lines(
    from level: String?, after lastEventID: String?
  ) async -> any AsyncSequence<StreamedEvent, Never> & Sendable {
    AsyncStream<StreamedEvent> { $0.finish() }
  }
}

private let hosts: [(String, HTTPResponseStatus?)] = [
  ("127.0.0.1:8080", nil), ("localhost:8080", nil), ("LocalHost:8080", nil), ("[::1]:8080", nil),
  ("127.0.0.1", .forbidden), ("localhost", .forbidden), ("127.0.0.1:80", .forbidden), ("evil.example:8080", .forbidden),
  ("127.0.0.1.evil.example:8080", .forbidden), ("localhost.:8080", .forbidden), ("127.0.0.2:8080", .forbidden),
  ("0.0.0.0:8080", .forbidden), ("::1:8080", .forbidden), ("user@127.0.0.1:8080", .badRequest), ("", .forbidden),
]

private let origins: [(String, HTTPResponseStatus?)] = [
  ("http://127.0.0.1:8080", nil), ("HTTP://127.0.0.1:8080", nil), ("null", .forbidden), ("", .forbidden),
  ("https://127.0.0.1:8080", .forbidden), ("http://localhost:8080", .forbidden), ("http://127.0.0.1", .forbidden),
  ("http://127.0.0.1:8081", .forbidden), ("http://evil.example", .forbidden), ("file://", .forbidden),
  ("http://127.0.0.1:8080/", .forbidden), ("http://127.0.0.1:8080.evil.example", .forbidden),
]

private let targets: [(HTTPMethod, String, HTTPResponseStatus?)] = [
  (.POST, "/rpc", nil), (.GET, "/openrpc.json", nil), (.GET, "/events", nil), (.GET, "/rpc", .methodNotAllowed),
  (.HEAD, "/rpc", .methodNotAllowed), (.OPTIONS, "/rpc", .methodNotAllowed), (.PUT, "/rpc", .methodNotAllowed),
  (.POST, "/events", .methodNotAllowed), (.HEAD, "/openrpc.json", .methodNotAllowed), (.GET, "/", .notFound),
  (.POST, "/rpc/", .notFound), (.POST, "/rpc?x", .notFound), (.POST, "//rpc", .notFound), (.POST, "/RPC", .notFound),
  (.GET, "/events?after=1", .notFound), (.OPTIONS, "*", .notFound), (.POST, "http://127.0.0.1:8080/rpc", nil),
  (.POST, "HTTP://LocalHost:8080/rpc", nil), (.POST, "http://evil.example:8080/rpc", .forbidden),
  (.POST, "http://127.0.0.1/rpc", .forbidden), (.POST, "http://user@127.0.0.1:8080/rpc", .badRequest),
  (.POST, "http:///rpc", .badRequest), (.GET, "http://127.0.0.1:8080", .notFound),
  (.POST, "ftp://127.0.0.1:8080/rpc", .notFound),
  (.CONNECT, "127.0.0.1:8080", .notFound), (.GET, "/../rpc", .notFound), (.GET, "/log", nil),
  (.GET, "/log?level=error", nil), (.GET, "/log?level=debug", .badRequest), (.GET, "/log?level=", .badRequest),
  (.GET, "/log?level=error&level=info", .badRequest), (.GET, "/log?", .badRequest), (.GET, "/logs", .notFound),
  (.POST, "/log", .methodNotAllowed),
]

private let contentTypes: [(String, Bool)] = [
  ("application/json", true), ("Application/JSON", true), ("application/json; charset=utf-8", true),
  ("application/json;charset=\"UTF-8\"", true), ("application/json;", true), (" application/json ", true),
  ("application/json; charset=latin1", false), ("text/plain", false), ("application/jsonp", false), ("", false),
  ("application/x-www-form-urlencoded", false), ("multipart/form-data; boundary=x", false),
  ("text/plain, application/json", false),
]

private let tokens: [([String], String?)] = [
  (["Bearer abc"], "abc"), (["bearer abc"], "abc"), (["Bearer   abc  "], "abc"), (["Basic abc"], nil),
  (["Bearer"], nil), (["Bearer abc", "Bearer abc"], nil), ([], nil), (["abc"], nil),
]

@Suite("HTTP requests that the server accepts")
struct HTTPGateTests {
  private let gate = HTTPGate(port: 8080, service: service())

  private static func service() -> SocketService {
    var service = SocketService(isToken: { _ in true }) { FakeHandler(admission: $0) }
    service.document = { "{}" }
    service.events = NoEvents()
    service.log = NoLog()
    return service
  }

  private func refusal(
    _ method: HTTPMethod = .POST, _ uri: String = "/rpc", _ headers: [(String, String)]
  ) -> HTTPResponseStatus? {
    let head = HTTPRequestHead(version: .http1_1, method: method, uri: uri, headers: HTTPHeaders(headers))
    do {
      _ = try gate.resource(of: head, at: RequestTarget(of: head))
      return nil
    } catch let error as HTTPRefusal {
      return error.status
    } catch {
      return .badRequest
    }
  }

  @Test("The Host of an HTTP request must be a loopback name with the server's port", arguments: hosts)
  func host(_ host: String, _ status: HTTPResponseStatus?) {
    #expect(refusal([("Host", host)]) == status)
  }

  @Test("An HTTP request must have exactly one Host header")
  func oneHost() {
    #expect(refusal([]) == .badRequest)
    #expect(refusal([("Host", "localhost:8080"), ("host", "localhost:8080")]) == .badRequest)
  }

  @Test("An HTTP request must have no Origin, or the server's own", arguments: origins)
  func origin(_ origin: String, _ status: HTTPResponseStatus?) {
    #expect(refusal([("Host", "127.0.0.1:8080"), ("Origin", origin)]) == status)
  }

  @Test("Each path of the HTTP server accepts one method, and unknown paths are not found", arguments: targets)
  func target(_ method: HTTPMethod, _ uri: String, _ status: HTTPResponseStatus?) {
    #expect(refusal(method, uri, [("Host", "127.0.0.1:8080")]) == status)
  }

  @Test("On port 80, the Host header may leave out the port")
  func defaultPort() throws {
    let gate = HTTPGate(port: 80, service: Self.service())
    for host in ["localhost", "127.0.0.1:80"] {
      let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: "/rpc", headers: ["Host": host])
      #expect(try gate.resource(of: head, at: RequestTarget(of: head)) == .call)
    }
  }

  @Test("An HTTP server without events or a document has no /events or /openrpc.json")
  func absent() {
    let gate = HTTPGate(port: 80, service: SocketService(isToken: { _ in true }) { FakeHandler(admission: $0) })
    for uri in ["/events", "/openrpc.json"] {
      let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: uri, headers: ["Host": "localhost"])
      #expect(throws: HTTPRefusal.notFound) { try gate.resource(of: head, at: RequestTarget(of: head)) }
    }
  }

  @Test("A body that is too large is refused with the limit, and with the service's hint if it has one")
  func tooLarge() {
    var limits = SessionLimits()
    limits.messageBytes = 10
    var service = SocketService(limits: limits, isToken: { _ in true }) { FakeHandler(admission: $0) }
    var messages: [String] = []
    for hint in [nil, "Send it in parts"] {
      service.largeBodyHint = hint
      let gate = HTTPGate(port: 80, service: service)
      messages.append(gate.tooLarge(for: .call).message)
      #expect(gate.limit(for: .call) == 10)
    }
    #expect(messages == ["The body must not exceed 10 bytes.", "The body must not exceed 10 bytes. Send it in parts."])
  }

  @Test("The only accepted content type is JSON in UTF-8, which no web form can send", arguments: contentTypes)
  func contentType(_ text: String, _ isJSON: Bool) {
    #expect(HTTPGate.isJSON(text) == isJSON)
  }

  @Test("The bearer token is read only from a single Authorization header", arguments: tokens)
  func token(_ fields: [String], _ token: String?) {
    let headers = HTTPHeaders(fields.map { ("Authorization", $0) })
    #expect(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/", headers: headers).bearerToken == token)
  }
}

extension HTTPGateTests {
  private func refusal(_ headers: [(String, String)]) -> HTTPResponseStatus? { refusal(.POST, "/rpc", headers) }
}
