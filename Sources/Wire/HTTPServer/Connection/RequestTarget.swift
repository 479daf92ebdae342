import NIOHTTP1
import Support

/// Where a request goes, after the checks of its head that the parser leaves out.
package struct RequestTarget: Equatable, Sendable {
  /// The path with the query, or another target as it came, such as `*`.
  package let path: String
  /// The host with the port that the client means: of the target if it is an absolute URL, else of the Host field (RFC
  /// 9112, 3.2.2 and 3.3). `nil` without both, which only HTTP/1.0 allows.
  package let authority: String?

  /// Throws `badHead` for a head that RFC 9112 forbids, so that no proxy in between can read another request than this
  /// server does.
  package init(of head: HTTPRequestHead) throws(HTTPFault) {
    try Self.checkFraming(head)
    let host = try Self.host(head)
    guard let end = Self.endOfScheme(head.uri) else {
      (path, authority) = (head.uri, host)
      return
    }
    let rest = head.uri[end...]
    let start = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
    let named = String(rest[..<start])
    guard Self.isAuthority(named), !named.isEmpty else {
      throw .badHead("The request target does not name a host.")
    }
    let target = String(rest[start...])
    (path, authority) = (target.hasPrefix("/") ? target : "/" + target, named)
  }

  /// The index behind `http://` or `https://`; `nil` for a target that is not an absolute URL.
  private static func endOfScheme(_ uri: String) -> String.Index? {
    guard let first = uri.utf8.first, first != UInt8(ascii: "/") else { return nil }
    for scheme in ["http://", "https://"] where uri.utf8.count >= scheme.utf8.count {
      let end = uri.utf8.index(uri.startIndex, offsetBy: scheme.utf8.count)
      if uri[..<end].lowercased() == scheme { return end }
    }
    return nil
  }

  private static func host(_ head: HTTPRequestHead) throws(HTTPFault) -> String? {
    let hosts = head.headers["host"]
    guard hosts.count == 1 || hosts.isEmpty && head.version != .http1_1 else {
      throw .badHead("Exactly one Host header is required.")
    }
    guard hosts.first.map(isAuthority) ?? true else { throw .badHead("The Host header does not name a host.") }
    return hosts.first
  }

  /// Whether a text has only characters of a host and a port. User information is not allowed in either place.
  private static func isAuthority(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0.isAlphanumeric || "-._~:[]%!$&'()*+;=".utf8.contains($0) }
  }

  /// The length of a body must have one meaning for everybody on the way.
  private static func checkFraming(_ head: HTTPRequestHead) throws(HTTPFault) {
    let (lengths, codings) = (head.headers["content-length"], head.headers["transfer-encoding"])
    guard lengths.count <= 1, lengths.allSatisfy({ $0.utf8.allSatisfy(\.isDigit) && !$0.isEmpty }) else {
      throw .badHead("Exactly one Content-Length with a number is allowed.")
    }
    guard !codings.isEmpty else { return }
    guard lengths.isEmpty else { throw .badHead("Content-Length and Transfer-Encoding exclude each other.") }
    guard codings.count == 1, codings[0].lowercased() == "chunked", head.version == .http1_1 else {
      throw .badHead("The only supported Transfer-Encoding is chunked, in HTTP/1.1.")
    }
  }
}

extension HTTPRequestHead {
  package var expectsContinue: Bool {
    version == .http1_1 && headers["expect"].contains { $0.lowercased() == "100-continue" }
  }

  package var hasBody: Bool {
    headers.contains(name: "transfer-encoding") || headers.first(name: "content-length").map { $0 != "0" } ?? false
  }

  /// Whether no other request can follow on the connection.
  package var isLast: Bool { !isKeepAlive || method == .CONNECT || headers.contains(name: "upgrade") }

  /// Whether the body has a content coding other than `identity`.
  var hasEncodedBody: Bool {
    headers[canonicalForm: "content-encoding"].contains { !$0.isEmpty && $0.lowercased() != "identity" }
  }
}
