import Testing

/// A request over HTTP that proxies and servers could read in different ways, or that the rules forbid, for tests of every
/// server.
package struct AmbiguousRequest: Sendable, CustomTestStringConvertible {
  package let testDescription: String
  /// With FIELDS in place of the fields that the server needs, and TARGET in place of a path.
  private let text: String
  /// What the status of the only answer may be, after which the connection closes.
  package let statuses: Set<Int>

  private init(_ name: String, _ text: String, _ statuses: Set<Int> = [400]) {
    (testDescription, self.text, self.statuses) = (name, text, statuses)
  }

  /// `fields` are whole lines with a Host. A second request follows, which must not be answered.
  package func text(target: String, fields: String) -> String {
    Self.filled(text, target, fields) + Self.filled("GET /smuggled HTTP/1.1\r\nFIELDS\r\n", target, fields)
  }

  private static func filled(_ text: String, _ target: String, _ fields: String) -> String {
    text.replacing("FIELDS", with: fields).replacing("TARGET", with: target)
  }

  private static func post(
    _ name: String, _ lines: String, body: String = "", _ status: Int = 400
  ) -> AmbiguousRequest {
    AmbiguousRequest(name, "POST TARGET HTTP/1.1\r\nFIELDS\(lines)\r\n\(body)", [status])
  }

  private static let chunked = "Transfer-Encoding: chunked\r\n"

  package static let all =
    lengths + codings + lines + [
      post("a second Host", "Host: elsewhere\r\nContent-Length: 1\r\n", body: "x"),
      post("a compressed body", "Content-Encoding: gzip\r\nContent-Length: 1\r\n", body: "x", 415),
      AmbiguousRequest("no Host", "GET TARGET HTTP/1.1\r\n\r\n"),
      AmbiguousRequest("a host with a user", "GET http://me@localhost/ HTTP/1.1\r\nFIELDS\r\n"),
      AmbiguousRequest("a URL without a host", "GET http:///x HTTP/1.1\r\nFIELDS\r\n"),
    ]

  private static let lengths = [
    post("a length and chunks", "Content-Length: 5\r\n" + chunked, body: "0\r\n\r\n"),
    post("chunks and a length", chunked + "Content-Length: 5\r\n", body: "0\r\n\r\n"),
    post("two lengths", "Content-Length: 1\r\nContent-Length: 2\r\n", body: "x"),
    post("two equal lengths", "Content-Length: 1\r\nContent-Length: 1\r\n", body: "x"),
    post("a list of lengths", "Content-Length: 1, 1\r\n", body: "x"),
    post("a length with a sign", "Content-Length: +1\r\n", body: "x"),
    post("a negative length", "Content-Length: -1\r\n", body: "x"),
    post("a hexadecimal length", "Content-Length: 0x1\r\n", body: "x"),
    post("an empty length", "Content-Length: \r\n"),
    post("a length beyond 64 bits", "Content-Length: 99999999999999999999999\r\n"),
  ]

  private static let codings = [
    post("another coding", "Transfer-Encoding: gzip\r\n", body: "x"),
    post("another coding before chunks", "Transfer-Encoding: gzip, chunked\r\n", body: "0\r\n\r\n"),
    post("another coding behind chunks", "Transfer-Encoding: chunked, identity\r\n", body: "0\r\n\r\n"),
    post("a coding that only ends like chunks", "Transfer-Encoding: xchunked\r\n", body: "0\r\n\r\n"),
    post("two fields of codings", chunked + "Transfer-Encoding: identity\r\n", body: "0\r\n\r\n"),
    post("a chunk size beyond 64 bits", chunked, body: "fffffffffffffffff\r\nx\r\n0\r\n\r\n"),
    post("a chunk size with a prefix", chunked, body: "0x1\r\nx\r\n0\r\n\r\n"),
    post("a negative chunk size", chunked, body: "-1\r\nx\r\n0\r\n\r\n"),
    post("a chunk that is longer than its size", chunked, body: "1\r\nxyz\r\n0\r\n\r\n"),
    post("a chunk with a line feed alone", chunked, body: "1\nx\n0\n\n"),
    AmbiguousRequest(
      "chunks in HTTP/1.0", "POST TARGET HTTP/1.0\r\nFIELDS" + chunked + "\r\n0\r\n\r\n"),
  ]

  private static let lines = [
    post("a folded line", "X-Folded: a\r\n b\r\nContent-Length: 1\r\n", body: "x"),
    post("a space before a colon", "Content-Length : 1\r\n", body: "x"),
    post("a tab before a colon", "Transfer-Encoding\t: chunked\r\n", body: "0\r\n\r\n"),
    post("a space before a name", " Content-Length: 1\r\n", body: "x"),
    post("a line without a colon", "Content-Length\r\n"),
    post("a line without a name", ": 1\r\n"),
    post("a carriage return alone", "X: a\rContent-Length: 1\r\n", body: "x"),
    post("a zero byte", "X: a\u{0}b\r\n"),
    AmbiguousRequest("a line feed alone", "GET TARGET HTTP/1.1\nFIELDS\n", [400, 505]),
    AmbiguousRequest("no version", "GET TARGET\r\nFIELDS\r\n", [400, 505]),
  ]
}
