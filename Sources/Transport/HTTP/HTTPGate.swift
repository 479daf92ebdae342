import NIOHTTP1

/// The resources that a request may ask for.
enum HTTPTarget: Equatable, Sendable {
  case call, document, events
}

/// Checks the head of a request: it must be meant for this server, must not come from a web page, and must name an
/// existing resource.
///
/// A page of another site can send requests to loopback and, with a domain name that leads there, even read the
/// answers. But it cannot choose Host and Origin, so both must be those of this server.
struct HTTPGate: Sendable {
  private let targets: [String: (HTTPMethod, HTTPTarget)]
  private let hosts: Set<String>
  private let bodyLimit: Int
  private let tooLarge: HTTPRefusal

  init(port: Int, service: SocketService) {
    var targets: [String: (HTTPMethod, HTTPTarget)] = ["/rpc": (.POST, .call)]
    if service.document != nil { targets["/openrpc.json"] = (.GET, .document) }
    if service.events != nil { targets["/events"] = (.GET, .events) }
    self.targets = targets
    let names = ["127.0.0.1", "localhost", "[::1]"]
    hosts = Set(names.map { "\($0):\(port)" } + (port == 80 ? names : []))
    bodyLimit = service.limits.messageBytes
    tooLarge = .tooLarge(bodyLimit, hint: service.largeBodyHint)
  }

  func target(of head: HTTPRequestHead) throws(HTTPRefusal) -> HTTPTarget {
    try checkSender(head.headers)
    guard let (method, target) = targets[head.uri] else { throw .notFound }
    guard head.method == method else { throw .methodNotAllowed(method) }
    return target
  }

  private func checkSender(_ headers: HTTPHeaders) throws(HTTPRefusal) {
    guard let host = headers.single("host")?.lowercased() else {
      throw .badRequest("Exactly one Host header is required.")
    }
    guard hosts.contains(host) else { throw .forbidden("The Host header does not name this server.") }
    guard headers.contains(name: "origin") else { return }
    guard headers.single("origin")?.lowercased() == "http://\(host)" else {
      throw .forbidden("Requests from web pages are not allowed.")
    }
  }

  /// Before the body arrives.
  func checkBody(_ head: HTTPRequestHead) throws(HTTPRefusal) {
    guard head.headers.single("content-type").map(Self.isJSON) == true else { throw .notJSON }
    if let length = head.headers.first(name: "content-length") {
      guard let count = Int(length), count <= bodyLimit else { throw tooLarge }
    }
    if head.headers.contains(name: "expect"), !head.expectsContinue { throw .expectationFailed }
  }

  /// While the body grows.
  func checkBody(ofSize count: Int) throws(HTTPRefusal) {
    guard count <= bodyLimit else { throw tooLarge }
  }

  /// Whether the type is `application/json`, in UTF-8 if it names a character set.
  static func isJSON(_ contentType: String) -> Bool {
    if contentType == "application/json" { return true }
    let parts = contentType.lowercased().split(separator: ";", omittingEmptySubsequences: false).map(trimmed)
    guard parts.first == "application/json" else { return false }
    return parts.dropFirst().allSatisfy { ["charset=utf-8", "charset=\"utf-8\"", ""].contains($0) }
  }
}

extension HTTPRequestHead {
  /// The token in the request; `nil` if there is none or more than one.
  var bearerToken: String? {
    guard let value = headers.single("authorization"), let space = value.firstIndex(of: " "),
      value[..<space].lowercased() == "bearer"
    else { return nil }
    return trimmed(value[space...])
  }

  var expectsContinue: Bool { version == .http1_1 && headers.single("expect")?.lowercased() == "100-continue" }

  var hasBody: Bool {
    headers.contains(name: "transfer-encoding") || headers.first(name: "content-length").map { $0 != "0" } ?? false
  }

  /// Whether no other request can follow on the connection.
  var isLast: Bool { !isKeepAlive || method == .CONNECT || headers.contains(name: "upgrade") }
}

extension HTTPHeaders {
  /// `nil` if there is none or more than one.
  fileprivate func single(_ name: String) -> String? {
    let values = self[name]
    return values.count == 1 ? values[0] : nil
  }
}

private func trimmed(_ text: Substring) -> String {
  let isSpace: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
  var rest = text.utf8.drop(while: isSpace)
  while rest.last.map(isSpace) == true { rest.removeLast() }
  return String(Substring(rest))
}
