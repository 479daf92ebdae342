// HTTP has requests, responses, headers and addresses as values. Whoever sends a request does so through `HTTPClient`,
// and whoever answers one is an `HTTPResponder`; HTTPNetwork carries both over a network, of which nothing here knows.
// So the tests of the tenant service and of the programs around it need no socket.
//
// It also reads what web servers and identity providers say in headers and documents: when to come back, who they
// are, where their endpoints are.

/// The headers of a message, in order. Names are compared without regard to ASCII case.
package struct HTTPHeaders: Hashable, Sendable {
  package private(set) var fields: [(name: String, value: String)] = []

  package init(_ fields: KeyValuePairs<String, String> = [:]) {
    self.fields = fields.map { (name: $0.key, value: $0.value) }
  }

  /// The first value of a name. Setting it replaces all values of the name.
  package subscript(name: String) -> String? {
    get { fields.first { $0.name.equals(name) }?.value }
    set {
      fields.removeAll { $0.name.equals(name) }
      if let newValue { fields.append((name, newValue)) }
    }
  }

  package func all(_ name: String) -> [String] { fields.filter { $0.name.equals(name) }.map(\.value) }

  package mutating func add(_ name: String, _ value: String) { fields.append((name, value)) }

  package static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
    left.fields.elementsEqual(right.fields) { $0.name.equals($1.name) && $0.value == $1.value }
  }

  package func hash(into hasher: inout Hasher) {
    for field in fields { hasher.combine(field.value) }
  }
}

extension String {
  fileprivate func equals(_ other: String) -> Bool {
    utf8.elementsEqual(other.utf8) { $0.lowercasedLetter == $1.lowercasedLetter }
  }
}

/// A request with its whole body, as a client sends it or a server receives it.
package struct HTTPRequest: Sendable {
  package var method: String
  /// Of a client: an absolute URL. Of a server: the path with the query, as they came.
  package var url: String
  package var headers: HTTPHeaders
  package var body: [UInt8]
  /// Of a server: to be called when the request has proved who sent it, with a token or a secret. Before that, its
  /// connection counts as one of a stranger.
  package var didProve: @Sendable () -> Void = {}

  package init(_ method: String, _ url: String, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
  }
}

/// A response with its whole body.
package struct HTTPResponse: Sendable {
  /// How much of a response a server sends, so that clients can be tested with connections that break.
  package enum Ending: Sendable {
    case whole
    /// The connection ends in the middle of the body.
    case cut
    /// The connection ends without an answer.
    case none
  }

  package var status: Int
  package var headers: HTTPHeaders
  package var body: [UInt8]
  package var ending = Ending.whole

  package init(_ status: Int, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

extension HTTPResponse {
  /// Whether the body is a web page, as proxies and networks send it that want a person to sign in, also with status 200.
  package var isWebPage: Bool {
    let type = headers["Content-Type"]?.lowercased() ?? ""
    if type.hasPrefix("text/html") || type.hasPrefix("application/xhtml") { return true }
    let start = body.prefix(512).drop { $0 <= 0x20 || $0 == 0xEF || $0 == 0xBB || $0 == 0xBF }
    let text = String(decoding: start.prefix(16), as: UTF8.self).lowercased()
    return text.hasPrefix("<!doctype html") || text.hasPrefix("<html")
  }

  /// A sentence about a web page in the place of an answer. `place` is what was asked.
  package static func webPageText(from place: String, status: Int) -> String {
    "\(place) answered with a web page (status \(status)), not with data: probably a proxy or a network on the way wants a "
      + "sign-in. Sign in there with a browser, name the right proxy (HTTPS_PROXY), or except the host from it (NO_PROXY)."
  }
}

/// What answers the requests that a server receives.
package protocol HTTPResponder: Sendable {
  /// `peer` is the address of the client. The task is cancelled when the client closes the connection.
  func response(to request: HTTPRequest, from peer: String) async -> HTTPResponse

  /// Answers a request without its body, which is too large (status 413) or did not come in time (408), for example.
  /// `fault` is a sentence about a head that breaks the rules of HTTP (400).
  func refusal(_ status: Int, because fault: String?, of request: HTTPRequest, from peer: String) -> HTTPResponse
}

extension HTTPResponder {
  package func refusal(
    _ status: Int, because fault: String?, of request: HTTPRequest, from peer: String
  ) -> HTTPResponse {
    HTTPResponse(status)
  }
}
