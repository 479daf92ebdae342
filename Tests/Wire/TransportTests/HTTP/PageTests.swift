import TestSupport
import Testing

@testable import Transport

private let page = PageFiles { name in
  let texts = ["index.html": "<!doctype html>", "app.js": "go()", "note": "?"]
  return texts[name].flatMap { PageFiles.File(named: name, Array($0.utf8)) }
}

private let paths: [(String, Int, String?)] = [
  ("/", 200, "text/html; charset=utf-8"), ("/index.html", 200, "text/html; charset=utf-8"),
  ("/app.js", 200, "text/javascript; charset=utf-8"), ("/note", 404, nil), ("/other.js", 404, nil),
  ("/app.js?x", 404, nil), ("//app.js", 404, nil), ("/../app.js", 404, nil), ("/openrpc.json", 401, nil),
  ("/log", 404, nil),
]

@Suite("The page of a server", .timeLimit(.minutes(5)), .ownThreads)
struct PageTests {
  private let server: RunningListener

  init() throws {
    server = try RunningListener(RunningListener.http, page: page)
  }

  @Test("The files of a server's page need no token, and everything else does", arguments: paths)
  func loads(_ path: String, _ status: Int, _ type: String?) throws {
    let client = try HTTPClient(server)
    let reply = try #require(client.ask(client.head("GET \(path)", ["Authorization": nil])))
    #expect(reply.status == status)
    if let type { #expect(reply.headers["content-type"] == type) }
  }

  @Test("The files of a server's page have a strict Content-Security-Policy and must not be cached")
  func fields() throws {
    let client = try HTTPClient(server)
    let headers = try #require(client.ask(client.head("GET /", ["Authorization": nil]))).headers
    let policy = try #require(headers["content-security-policy"])
    #expect(policy.hasPrefix("default-src 'none'; script-src 'self'"))
    #expect(policy.contains("frame-ancestors 'none'"))
    #expect(headers["referrer-policy"] == "no-referrer")
    #expect(headers["cache-control"] == "no-store")
    #expect(headers["x-content-type-options"] == "nosniff")
    #expect(headers["cross-origin-opener-policy"] == "same-origin")
    #expect(headers["cross-origin-resource-policy"] == "same-origin")
  }

  @Test("The files of a server's page are refused with another method, Origin or Host")
  func refusals() throws {
    for (line, fields, status) in [
      ("POST /", [:], 405), ("HEAD /", [:], 405), ("GET /", ["Origin": "http://evil.example"], 403),
      ("GET /", ["Host": "evil.example"], 403),
    ] as [(String, [String: String?], Int)] {
      let client = try HTTPClient(server)
      #expect(client.ask(client.head(line, fields.merging(["Authorization": nil]) { one, _ in one }))?.status == status)
    }
  }

  @Test("A connection that loaded a page without a token can authenticate with a later request")
  func laterToken() throws {
    let client = try HTTPClient(server)
    #expect(client.ask(client.head("GET /", ["Authorization": nil]))?.status == 200)
    #expect(client.ask(client.head("GET /app.js", ["Authorization": nil]))?.status == 200)
    #expect(client.ask(client.head("GET /openrpc.json"))?.status == 200)
  }
}
