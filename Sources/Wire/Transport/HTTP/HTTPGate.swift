import HTTPServer
import NIOHTTP1

/// The resources that a request may ask for.
enum HTTPResource: Equatable, Sendable {
  case call, document, events
  /// The log from this level on; `nil` for all lines.
  case log(level: String?)
  case file(PageFiles.File)
  /// The record of the page: read it, add a line to it, or let it begin anew with a line.
  case record, recordLine, newRecord
  /// What a text says that the page has.
  case examination

  /// Whether the request must carry the token.
  var needsToken: Bool { if case .file = self { false } else { true } }
  /// Whether the request must carry a body.
  var takesBody: Bool { [.call, .recordLine, .newRecord, .examination].contains(self) }
}

/// Checks the head of a request: it must be meant for this server, must not come from a web page, and must name an
/// existing resource.
///
/// A page of another site can send requests to loopback and, with a domain name that leads there, even read the
/// answers. But it cannot choose Host and Origin, so both must be those of this server.
struct HTTPGate: Sendable {
  private let targets: [String: (HTTPMethod, HTTPResource)]
  private let logLevels: [String]?
  private let page: PageFiles?
  private let hasRecord: Bool
  private let hosts: Set<String>
  private let bodyLimit: Int
  private let bodyHint: String?
  private let examiner: PageExaminer?

  init(port: Int, service: SocketService) {
    var targets: [String: (HTTPMethod, HTTPResource)] = ["/rpc": (.POST, .call)]
    if service.document != nil { targets["/openrpc.json"] = (.GET, .document) }
    if service.events != nil { targets["/events"] = (.GET, .events) }
    if service.examiner != nil { targets["/examine"] = (.POST, .examination) }
    self.targets = targets
    logLevels = service.log?.levels
    page = service.page
    hasRecord = service.record != nil
    let names = ["127.0.0.1", "localhost", "[::1]"]
    hosts = Set(names.map { "\($0):\(port)" } + (port == 80 ? names : []))
    (bodyLimit, bodyHint) = (service.limits.messageBytes, service.largeBodyHint)
    examiner = service.examiner
  }

  func resource(of head: HTTPRequestHead, at target: RequestTarget) throws(HTTPRefusal) -> HTTPResource {
    try checkSender(head.headers, target)
    if hasRecord, target.path == "/record" { return try recordResource(head.method) }
    let known = try logTarget(target.path) ?? targets[target.path] ?? fileTarget(target.path)
    guard let (method, target) = known else { throw .notFound }
    guard head.method == method else { throw .methodNotAllowed(method) }
    return target
  }

  /// `/log`, or `/log?level=` with one of the levels.
  private func logTarget(_ uri: String) throws(HTTPRefusal) -> (HTTPMethod, HTTPResource)? {
    guard let logLevels else { return nil }
    if uri == "/log" { return (.GET, .log(level: nil)) }
    guard uri.hasPrefix("/log?") else { return nil }
    let prefix = "/log?level="
    let level = uri.hasPrefix(prefix) ? String(uri.dropFirst(prefix.count)) : ""
    guard logLevels.contains(level) else {
      throw HTTPRefusal(
        status: .badRequest, message: "Use /log or /log?level=LEVEL with \(logLevels.joined(separator: ", ")).")
    }
    return (.GET, .log(level: level))
  }

  private func recordResource(_ method: HTTPMethod) throws(HTTPRefusal) -> HTTPResource {
    switch method {
    case .GET: .record
    case .POST: .recordLine
    case .PUT: .newRecord
    default: throw .methodNotAllowed(.GET)
    }
  }

  private func fileTarget(_ uri: String) -> (HTTPMethod, HTTPResource)? {
    page?.file(at: uri).map { (.GET, .file($0)) }
  }

  /// A host in the target wins over the Host header (RFC 9112, 3.2.2). Even HTTP/1.0 must name the host.
  private func checkSender(_ headers: HTTPHeaders, _ target: RequestTarget) throws(HTTPRefusal) {
    guard let host = target.authority?.lowercased() else {
      throw .badRequest("Exactly one Host header is required.")
    }
    guard hosts.contains(host) else { throw .forbidden("The Host header or the URL does not name this server.") }
    guard headers.contains(name: "origin") else { return }
    guard headers.single("origin")?.lowercased() == "http://\(host)" else {
      throw .forbidden("Requests from web pages are not allowed.")
    }
  }

  /// How many bytes the body may have.
  func limit(for resource: HTTPResource) -> Int { resource == .examination ? examiner?.limit ?? 0 : bodyLimit }

  func tooLarge(for resource: HTTPResource) -> HTTPRefusal {
    .tooLarge(limit(for: resource), hint: resource == .examination ? examiner?.hint : bodyHint)
  }

  /// Checks what the body is, before it arrives.
  func checkBody(_ head: HTTPRequestHead, for resource: HTTPResource) throws(HTTPRefusal) {
    let type = head.headers.single("content-type")
    if resource == .examination {
      guard type == HTTPRefusal.bytesType else { throw .notBytes }
    } else {
      guard type.map(Self.isJSON) == true else { throw .notJSON }
    }
    if head.headers.contains(name: "expect"), !head.expectsContinue { throw .expectationFailed }
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
