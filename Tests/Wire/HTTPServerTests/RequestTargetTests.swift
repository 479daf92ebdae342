import NIOHTTP1
import Testing

@testable import HTTPServer

private struct Case: Sendable, CustomTestStringConvertible {
  let testDescription: String
  var uri = "/path?x"
  var version = HTTPVersion.http1_1
  var fields: [(String, String)] = [("Host", "here:1")]
  /// `nil` if the head is refused.
  var result: RequestTarget?

  var head: HTTPRequestHead {
    HTTPRequestHead(version: version, method: .POST, uri: uri, headers: HTTPHeaders(fields))
  }
}

extension RequestTarget {
  fileprivate init(_ path: String, _ authority: String?) throws {
    var head = HTTPRequestHead(version: .http1_0, method: .GET, uri: path)
    if let authority { head.headers.add(name: "Host", value: authority) }
    try self.init(of: head)
  }
}

private func target(_ path: String, _ authority: String?) -> RequestTarget? { try? RequestTarget(path, authority) }

private let cases = [
  Case(testDescription: "a path", result: target("/path?x", "here:1")),
  Case(testDescription: "no Host", fields: []),
  Case(testDescription: "two Hosts", fields: [("Host", "here:1"), ("host", "here:1")]),
  Case(testDescription: "a Host with a user", fields: [("Host", "me@here")]),
  Case(testDescription: "a Host with a path", fields: [("Host", "here/there")]),
  Case(testDescription: "two names in one Host", fields: [("Host", "here there")]),
  Case(testDescription: "an empty Host", fields: [("Host", "")], result: target("/path?x", "")),
  Case(testDescription: "HTTP/1.0 without Host", version: .http1_0, fields: [], result: target("/path?x", nil)),
  Case(
    testDescription: "HTTP/1.0 with two Hosts", version: .http1_0, fields: [("Host", "a"), ("Host", "b")]),
  Case(testDescription: "an absolute URL", uri: "http://There:2/p?q", result: target("/p?q", "There:2")),
  Case(testDescription: "an absolute URL of HTTPS", uri: "HTTPS://[::1]:2/p", result: target("/p", "[::1]:2")),
  Case(testDescription: "an absolute URL without a path", uri: "http://there", result: target("/", "there")),
  Case(testDescription: "an absolute URL with a query alone", uri: "http://there?q", result: target("/?q", "there")),
  Case(testDescription: "an absolute URL without a host", uri: "http:///p"),
  Case(testDescription: "an absolute URL with a user", uri: "http://me@there/p"),
  Case(
    testDescription: "an absolute URL beside two Hosts", uri: "http://there/", fields: [("Host", "a"), ("Host", "b")]),
  Case(
    testDescription: "a path that only looks like a URL", uri: "/http://there/",
    result: target("/http://there/", "here:1")),
  Case(testDescription: "all of the server", uri: "*", result: target("*", "here:1")),
  Case(
    testDescription: "a length and chunks",
    fields: [("Host", "h"), ("Content-Length", "1"), ("Transfer-Encoding", "chunked")]),
  Case(
    testDescription: "two equal lengths", fields: [("Host", "h"), ("Content-Length", "1"), ("Content-Length", "1")]),
  Case(testDescription: "a list of lengths", fields: [("Host", "h"), ("Content-Length", "1, 1")]),
  Case(testDescription: "a length with a sign", fields: [("Host", "h"), ("Content-Length", "+1")]),
  Case(testDescription: "another coding", fields: [("Host", "h"), ("Transfer-Encoding", "gzip, chunked")]),
  Case(
    testDescription: "two codings",
    fields: [("Host", "h"), ("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "x")]),
  Case(
    testDescription: "chunks in HTTP/1.0", version: .http1_0,
    fields: [("Host", "h"), ("Transfer-Encoding", "chunked")]),
  Case(
    testDescription: "chunks", fields: [("Host", "h"), ("Transfer-Encoding", "Chunked")], result: target("/path?x", "h")
  ),
]

@Suite("HTTP request targets")
struct RequestTargetTests {
  @Test("RequestTarget takes path and Host of a valid HTTP request head and refuses ambiguous ones", arguments: cases)
  fileprivate func target(of one: Case) {
    #expect((try? RequestTarget(of: one.head)) == one.result)
  }

  @Test(
    "An HTTP body counts as encoded unless every Content-Encoding is identity",
    arguments: [
      ([], false), (["identity"], false), (["Identity, identity"], false), ([""], false), (["gzip"], true),
      (["identity, br"], true), (["identity", "deflate"], true),
    ])
  func encoding(values: [String], isEncoded: Bool) {
    let fields = HTTPHeaders(values.map { ("Content-Encoding", $0) })
    #expect(HTTPRequestHead(version: .http1_1, method: .POST, uri: "/", headers: fields).hasEncodedBody == isEncoded)
  }
}
