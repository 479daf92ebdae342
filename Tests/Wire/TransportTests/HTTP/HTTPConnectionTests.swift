import Glibc
import JSONRPC
import NIOCore
import TestSupport
import Testing

@testable import Transport

private let garbage: [(String, Int)] = [
  ("nonsense\r\n\r\n", 400), ("{\"jsonrpc\":\"2.0\"}\n", 400), ("GET / HTTP/2.0\r\n\r\n", 505),
  ("\u{16}\u{3}\u{1}", 400),
  ("GET /openrpc.json HTTP/1.1\r\nX: " + String(repeating: "x", count: 9000) + "\r\n\r\n", 431),
  ("GET /" + String(repeating: "x", count: 20_000) + " HTTP/1.1\r\n\r\n", 431),
  ("GET / HTTP/1.1\r\n" + String(repeating: "X: y\r\n", count: 100) + "\r\n", 431),
  ("POST /rpc HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx", 400),
  ("POST /rpc HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
]

@Suite("Connections over HTTP", .timeLimit(.minutes(5)), .ownThreads)
struct HTTPConnectionTests {
  @Test("Pipelined HTTP requests are answered in order, one at a time")
  func pipelining() throws {
    let server = try RunningListener(RunningListener.http)
    let client = try HTTPClient(server)
    let requests = [client.post(request(0, "held"))] + (1...50).map { client.post(request($0, "echo")) }
    client.send(requests.joined() + client.head("GET /openrpc.json", ["Connection": "close"]))
    server.waitForFirstCall()
    #expect(!client.stream.isReady(POLLIN, milliseconds: 50))
    #expect(server.all.count == 1)
    server.letGo()
    #expect(client.readReply()?.body == result(0, "true"))
    for id in 1...50 { #expect(client.readReply()?.body == result(id, "[]")) }
    #expect(client.readReply()?.body == "{}")
    #expect(client.readReply() == nil)
  }

  @Test("An HTTP request may arrive byte by byte")
  func bytewise() throws {
    let server = try RunningListener(RunningListener.http)
    let client = try HTTPClient(server)
    for byte in client.post(request(1, "echo")).utf8 { client.stream.write([byte]) }
    #expect(client.readReply()?.body == result(1, "[]"))
  }

  @Test("An HTTP body in chunks is accepted up to the limit of message bytes, and is 413 beyond it")
  func chunks() throws {
    var limits = SessionLimits()
    limits.messageBytes = 1000
    let server = try RunningListener(RunningListener.http, limits: limits)
    let client = try HTTPClient(server)
    let head = client.post("", ["Content-Length": nil, "Transfer-Encoding": "chunked"])
    let text = Array(request(1, "echo").utf8)
    let chunks = text.map { "1\r\n\(Character(UnicodeScalar($0)))\r\n" }.joined()
    #expect(client.ask(head + chunks + "0\r\n\r\n")?.body == result(1, "[]"))
    #expect(client.ask(client.post(request(2, "echo") + String(repeating: " ", count: 900)))?.status == 200)
    let long = String(repeating: "3e8\r\n" + String(repeating: " ", count: 1000) + "\r\n", count: 2)
    #expect(client.ask(head + long)?.status == 413)
    #expect(client.readReply() == nil)
  }

  @Test("An HTTP body over the limit of bytes fails with 413", arguments: [(0, 200), (1, 413), (1_000_000, 413)])
  func bodyLimit(_ excess: Int, _ status: Int) throws {
    var limits = SessionLimits()
    limits.messageBytes = 1000
    let server = try RunningListener(RunningListener.http, limits: limits)
    let client = try HTTPClient(server)
    let text = request(1, "echo")
    let body = text + String(repeating: " ", count: 1000 + excess - text.utf8.count)
    #expect(client.ask(client.post(body))?.status == status)
    let other = try HTTPClient(server)
    #expect(other.ask(other.post(text))?.body == result(1, "[]"))
  }

  @Test("100 Continue is sent only once the head of the HTTP request has been accepted")
  func expects() throws {
    let server = try RunningListener(RunningListener.http)
    let client = try HTTPClient(server)
    let body = request(1, "echo")
    let fields = ["Expect": "100-continue", "Content-Length": "\(body.utf8.count)"]
    client.send(client.post("", fields))
    #expect(client.readHead()?.status == 100)
    #expect(client.ask(body)?.body == result(1, "[]"))
    let reply = client.ask(client.post("", fields.merging(["Authorization": "Bearer wrong"]) { $1 }))
    #expect(reply?.status == 401)
    #expect(client.readReply() == nil)
  }

  @Test("An HTTP/1.0 connection closes after the reply unless the client sends keep-alive")
  func oldVersion() throws {
    let server = try RunningListener(RunningListener.http)
    let client = try HTTPClient(server)
    let keeping = client.head("GET /openrpc.json", ["Connection": "keep-alive"])
    let first = client.ask(keeping.replacing("HTTP/1.1", with: "HTTP/1.0"))
    #expect(first?.body == "{}")
    #expect(first?.headers["connection"] == "keep-alive")
    let second = client.ask(client.head("GET /openrpc.json").replacing("HTTP/1.1", with: "HTTP/1.0"))
    #expect(second?.headers["connection"] == "close")
    #expect(client.readReply() == nil)
  }

  @Test("Input that is not valid HTTP gets one error status and closes the connection", arguments: garbage)
  func noHTTP(_ text: String, _ status: Int) throws {
    let server = try RunningListener(RunningListener.http)
    let client = try HTTPClient(server)
    client.send(text)
    shutdown(client.stream.descriptor, Int32(SHUT_WR))
    #expect(client.readReply()?.status == status)
    #expect(client.readReply() == nil)
    let other = try HTTPClient(server)
    #expect(other.ask(other.post(request(1, "echo")))?.body == result(1, "[]"))
  }

  @Test("An ambiguous HTTP request is refused, and nothing after it is read", arguments: AmbiguousRequest.all)
  func ambiguous(_ request: AmbiguousRequest) throws {
    let server = try RunningListener(RunningListener.http)
    let client = try HTTPClient(server)
    let fields = ["Host: 127.0.0.1:\(server.port)", "Authorization: Bearer right", "Content-Type: application/json"]
    client.send(request.text(target: "/rpc", fields: fields.map { $0 + "\r\n" }.joined()))
    shutdown(client.stream.descriptor, Int32(SHUT_WR))
    let reply = client.readReply()
    #expect(request.statuses.contains(reply?.status ?? 0))
    #expect(reply?.headers["connection"] == "close")
    #expect(client.readReply() == nil)
    #expect(server.all.isEmpty)
  }

  @Test("An absolute URL in a request is served if it names this server, whatever the Host header says")
  func absoluteURL() throws {
    let server = try RunningListener(RunningListener.http)
    let client = try HTTPClient(server)
    let url = "http://localhost:\(server.port)"
    #expect(client.ask(client.head("GET \(url)/openrpc.json", ["Host": "evil.example"]))?.body == "{}")
    let body = request(1, "echo")
    let call = client.post(body).replacing("POST /rpc", with: "POST \(url)/rpc")
    #expect(client.ask(call)?.body == result(1, "[]"))
    #expect(client.ask(client.head("GET http://evil.example/openrpc.json"))?.status == 403)
    #expect(client.readReply() == nil)
  }

  @Test("A client that half-closes its connection after an HTTP request gets the reply")
  func halfClose() throws {
    let server = try RunningListener(RunningListener.http)
    let client = try HTTPClient(server)
    client.send(client.post(request(1, "big", "[2000000]")))
    shutdown(client.stream.descriptor, Int32(SHUT_WR))
    #expect(client.readReply()?.body.utf8.count == result(1, "\"\"").utf8.count + 2_000_000)
    #expect(client.readReply() == nil)
  }

  @Test("An HTTP head that arrives too slowly gets 408 and closes the connection")
  func slowHead() throws {
    let server = try RunningListener(RunningListener.http, times: ConnectionTimes(admission: .milliseconds(50)))
    let client = try HTTPClient(server)
    client.send("POST /rpc HTTP/1.1\r\nHost: ")
    #expect(client.readReply()?.status == 408)
    #expect(client.readReply() == nil)
  }

  @Test("An HTTP body that arrives too slowly gets 408 and closes the connection")
  func slowBody() throws {
    let server = try RunningListener(RunningListener.http, times: ConnectionTimes(body: .milliseconds(50)))
    let client = try HTTPClient(server)
    client.send(client.post("{", ["Content-Length": "100"]))
    #expect(client.readReply()?.status == 408)
    #expect(client.readReply() == nil)
  }

  @Test("An idle HTTP connection is closed")
  func idle() throws {
    let server = try RunningListener(RunningListener.http, times: ConnectionTimes(idle: .milliseconds(50)))
    let client = try HTTPClient(server)
    #expect(client.ask(client.post(request(1, "echo")))?.status == 200)
    #expect(client.readReply() == nil)
  }

  @Test("The server takes 64 authenticated and 16 other HTTP connections, and one more gets 503")
  func limits() throws {
    let server = try RunningListener(RunningListener.http)
    let known = try (0..<64).map { _ in
      let client = try HTTPClient(server)
      #expect(client.ask(client.head("GET /openrpc.json"))?.status == 200)
      return client
    }
    let more = try HTTPClient(server)
    #expect(more.ask(more.head("GET /openrpc.json"))?.status == 503)
    let strangers = try (0..<16).map { _ in try HTTPClient(server) }
    let last = try HTTPClient(server)
    #expect(last.readReply()?.status == 503)
    #expect(last.readReply() == nil)
    #expect(known[0].ask(known[0].post(request(1, "echo")))?.status == 200)
    #expect(strangers.count == 16)
  }
}

@Suite("The end of an HTTP listener", .timeLimit(.minutes(5)), .ownThreads)
struct HTTPEndTests {
  private let server: RunningListener
  private let client: HTTPClient

  init() throws {
    server = try RunningListener(RunningListener.http)
    client = try HTTPClient(server)
  }

  private func begin(_ method: String) {
    client.send(client.post(request(1, method)))
    server.waitForFirstCall()
  }

  @Test("When an HTTP listener ends, running calls are finished, and then their connections close")
  func finishes() {
    begin("held")
    server.listener.endOfInput()
    server.letGo()
    #expect(client.readReply()?.body == result(1, "true"))
    #expect(client.readReply() == nil)
  }

  @Test("When an HTTP listener ends, a call that waits for events returns what it has")
  func cutsWaiting() {
    begin("waits")
    server.listener.endOfInput()
    #expect(client.readReply()?.body == result(1, #""cut""#))
  }

  @Test("When the grace period of an HTTP listener is over, the remaining calls get -32002")
  func abandons() {
    begin("held")
    server.listener.endOfInput()
    server.listener.abandon()
    #expect(failure(client.readReply()?.body) == "1: -32002")
  }

  @Test("When an HTTP listener ends, idle connections close at once, and an unfinished body gets 503")
  func idle() throws {
    let idle = try HTTPClient(server)
    #expect(idle.ask(idle.post(request(1, "echo")))?.status == 200)
    #expect(client.ask(client.post(request(1, "echo")))?.status == 200)
    client.send(client.post("{", ["Content-Length": "100", "Expect": "100-continue"]))
    #expect(client.readHead()?.status == 100)
    server.listener.endOfInput()
    #expect(idle.readReply() == nil)
    #expect(client.readReply()?.status == 503)
    #expect(client.readReply() == nil)
  }
}
