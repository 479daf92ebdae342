import Glibc
import JSONRPC
import NIOCore
import TestSupport
import Testing

@testable import Transport

private let refusals: [(name: String, fields: [String: String?], status: Int)] = [
  ("no token", ["Authorization": nil], 401), ("a wrong token", ["Authorization": "Bearer wrong"], 401),
  ("another scheme", ["Authorization": "Basic right"], 401), ("another host", ["Host": "evil.example"], 403),
  ("a web page", ["Origin": "http://evil.example"], 403), ("a sandboxed page", ["Origin": "null"], 403),
  ("a form", ["Content-Type": "text/plain"], 415), ("no type", ["Content-Type": nil], 415),
  ("too much", ["Content-Length": "99999999999"], 413),
  ("much too much", ["Content-Length": "9999999999999999999"], 413),
  ("a length that is none", ["Content-Length": "-1"], 400), ("other hopes", ["Expect": "a reply"], 417),
]

@Suite("Calls over HTTP", .timeLimit(.minutes(5)), .ownThreads)
struct HTTPCallTests {
  private let server: RunningListener
  private let client: HTTPClient

  init() throws {
    server = try RunningListener(RunningListener.http)
    client = try HTTPClient(server)
  }

  @Test("The body of a POST to /rpc is the request, and the body of the response is the reply")
  func call() throws {
    let reply = try #require(client.ask(client.post(request(1, "echo", "[5]"))))
    #expect(reply.status == 200)
    #expect(reply.body == result(1, "[5]"))
    #expect(reply.headers["content-type"] == "application/json")
    #expect(reply.headers["access-control-allow-origin"] == nil)
    #expect(reply.headers["cache-control"] == "no-store")
  }

  @Test("Line feeds in the body of an HTTP call are white space")
  func lineFeeds() {
    let body = "\n{\"jsonrpc\":\"2.0\",\r\n\"id\":1,\n\n\"method\":\"echo\",\"params\":[\n1\n]}\n\n"
    #expect(client.ask(client.post(body))?.body == result(1, "[1]"))
  }

  @Test("A call over HTTP can have a body of 20 MB and a reply of 20 MB")
  func bigBody() {
    let text = String(repeating: "x", count: 20 << 20)
    #expect(client.ask(client.post(request(1, "big", "[20000000,\"\(text)\"]")))?.body.utf8.count ?? 0 > 20_000_000)
  }

  @Test("A batch over HTTP is answered with one array, in order")
  func batch() {
    let body = "[\(request(1, "echo")),\(request(2, "nowhere")),{\"jsonrpc\":\"2.0\",\"method\":\"echo\"}]"
    let reply = client.ask(client.post(body))
    #expect(reply?.status == 200)
    #expect(reply?.body.hasPrefix("[" + result(1, "[]") + ",") == true)
    #expect(reply?.body.contains("-32601") == true)
  }

  @Test("Notifications over HTTP are answered with status 204 when they are done")
  func notification() {
    let reply = client.ask(client.post(#"{"jsonrpc":"2.0","method":"echo"}"#))
    #expect(reply?.status == 204)
    #expect(server.all[0].callCount == 1)
    #expect(client.ask(client.post(request(1, "echo")))?.body == result(1, "[]"))
  }

  @Test("An invalid body gets a JSON-RPC error over HTTP", arguments: ["", " ", "{", "nonsense", "[]", "1", "{}{}"])
  func malformed(_ body: String) {
    let reply = client.ask(client.post(body))
    #expect(reply?.status == 200)
    #expect(["null: -32700", "null: -32600"].contains(failure(reply?.body)))
    #expect(client.ask(client.post(request(1, "echo")))?.body == result(1, "[]"))
  }

  @Test("initialize over HTTP fails with -32600")
  func handshake() {
    #expect(failure(client.ask(client.post(request(1, "initialize", "{}")))?.body) == "1: -32600")
  }

  @Test("A call over HTTP that waits for events goes on waiting although there is no more input")
  func waiting() {
    client.send(client.post(request(1, "waits")))
    server.waitForFirstCall()
    #expect(!client.stream.isReady(POLLIN, milliseconds: 50))
    server.letGo()
    #expect(client.readReply()?.body == result(1, #""whole""#))
  }

  @Test("If an HTTP client closes its sending side, a call that waits for events returns at once")
  func gone() {
    client.send(client.post(request(1, "waits")))
    server.waitForFirstCall()
    shutdown(client.stream.descriptor, Int32(SHUT_WR))
    #expect(client.readReply()?.body == result(1, #""cut""#))
    #expect(client.readReply() == nil)
  }

  @Test("An HTTP call with a bad token or header is refused before its body is read", arguments: refusals)
  func refused(_ name: String, _ fields: [String: String?], _ status: Int) {
    let reply = client.ask(client.post(request(1, "echo"), fields))
    #expect(reply?.status == status)
    #expect(reply?.headers["connection"] == "close")
    #expect(reply?.headers["www-authenticate"] == (status == 401 ? "Bearer" : nil))
    #expect(client.readReply() == nil)
    #expect(server.all.isEmpty)
  }

  @Test("After a refused HTTP request without a body, only an authenticated connection stays open")
  func keepsKnown() throws {
    #expect(client.ask(client.head("GET /openrpc.json"))?.body == "{}")
    #expect(client.ask(client.head("GET /nowhere"))?.status == 404)
    let reply = client.ask(client.head("HEAD /rpc"))
    #expect(reply?.status == 405)
    #expect(reply?.headers["allow"] == "POST")
    #expect(client.ask(client.head("OPTIONS /rpc"))?.status == 405)
    #expect(client.ask(client.post(request(1, "echo")))?.body == result(1, "[]"))
    let stranger = try HTTPClient(server)
    #expect(stranger.ask(stranger.head("GET /nowhere"))?.status == 404)
    #expect(stranger.readReply() == nil)
  }

  @Test("GET /openrpc.json needs the token and must have no body")
  func document() throws {
    #expect(client.ask(client.head("GET /openrpc.json"))?.headers["content-type"] == "application/json")
    #expect(client.ask(client.head("GET /openrpc.json", ["Content-Length": "1"]) + "x")?.status == 400)
    let stranger = try HTTPClient(server)
    #expect(stranger.ask(stranger.head("GET /openrpc.json", ["Authorization": nil]))?.status == 401)
  }
}
