import Cryptography
import HTTP
import JSON
import Model
import Support

/// Sends requests to Microsoft Graph, or to a service with the same shapes. Repeats requests that may succeed later,
/// signs in again once for each, and never sends a token to another origin.
package final class GraphClient: Sendable {
  /// What one client does at most, so that no service can keep it busy forever.
  package struct Limits: Sendable {
    /// Attempts of one request.
    package var attempts = 8
    /// From the name of the host to the last byte of the body.
    package var patience = Duration.seconds(60)
    /// The longest wait that a service may ask for.
    package var longestWait = Duration.seconds(300)
    package var pages = 2000
    package var bodyBytes = 32 << 20
    /// Bytes of all bodies of a run.
    package var allBytes = 1 << 30

    package init() {}
  }

  private struct State {
    var bytes = 0
    /// Whether the service was there. Until then, a wrong address is more likely than a passing fault.
    var hasAnswered = false
  }

  package let root: WebURL
  private let base: String
  private let http: any HTTPClient
  private let tokens: any GraphTokens
  private let limits: Limits
  private let clock: any Clock
  private let sleep: @Sendable (Duration) async throws -> Void
  private let state = Lock(State())

  /// `root` is the address without version, such as `https://graph.microsoft.com`.
  package init(
    root: WebURL, http: any HTTPClient, tokens: any GraphTokens, limits: Limits = Limits(),
    clock: any Clock = SystemClock(),
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.root = root
    (self.http, self.tokens, self.limits, self.clock, self.sleep) = (http, tokens, limits, clock, sleep)
    let target = root.target.hasSuffix("/") ? String(root.target.dropLast()) : root.target
    base = root.origin + target
  }

  /// Begins a run, such as one pull of many: the limit of all bytes applies to each run.
  package func beginRun() {
    state.withLock { $0.bytes = 0 }
  }

  /// The value at a path, such as `/v1.0/organization`. `permissions` are those of which one must be granted.
  package func value(at path: String, permissions: String) async throws(GraphFailure) -> JSONValue {
    try await value(of: HTTPRequest("GET", base + path), permissions)
  }

  /// All elements of a list, of every page. `progress` gets the number so far.
  package func list(
    at path: String, permissions: String, progress: (Int) -> Void = { _ in }
  ) async throws(GraphFailure) -> [JSONObject] {
    try await list(from: base + path, permissions, progress)
  }

  /// The rest of a list, from a link of Graph.
  package func list(following link: String, permissions: String) async throws(GraphFailure) -> [JSONObject] {
    try await list(from: try checked(link), permissions) { _ in }
  }

  /// Posts an object to an action of a tenant service. All attempts have the same client-request-id, which the service
  /// takes as one order within an hour; all attempts together take less.
  package func post(_ body: JSONValue, to path: String, permissions: String) async throws(GraphFailure) {
    let headers = HTTPHeaders(["Content-Type": "application/json"])
    let request = HTTPRequest("POST", base + path, headers: headers, body: Array(body.jsonText.utf8))
    _ = try await answer(to: request, permissions)
  }

  private func list(
    from url: String, _ permissions: String, _ progress: (Int) -> Void
  ) async throws(GraphFailure) -> [JSONObject] {
    var elements: [JSONObject] = []
    var seen: Set<String> = []
    var next: String? = url
    while let link = next {
      guard seen.insert(link).inserted else {
        throw GraphFailure(.unusable, "The list at \(url.withoutQuery) leads back to a page that it already had.")
      }
      guard seen.count <= limits.pages else {
        throw GraphFailure(.unusable, "The list at \(url.withoutQuery) has more than \(limits.pages) pages.")
      }
      let page = try await value(of: HTTPRequest("GET", link), permissions)
      guard let object = page.objectValue, object["error"] == nil, let objects = object["value"]?.objects else {
        throw GraphFailure(.unusable, "The answer of \(link.withoutQuery) is not a list of objects.")
      }
      elements += objects
      progress(elements.count)
      next = try object.nextLink(after: "", of: link.withoutQuery).map(checked)
    }
    return elements
  }

  /// Throws for a link to another origin, which must not get a token.
  private func checked(_ link: String) throws(GraphFailure) -> String {
    guard let url = WebURL(link), url.hasOrigin(of: root) else {
      throw GraphFailure(
        .unusable,
        "A list of \(root.origin) continues at another address, \(link.shown(atMost: 80)), which is not asked.")
    }
    return url.origin + url.target
  }

  private func value(of request: HTTPRequest, _ permissions: String) async throws(GraphFailure) -> JSONValue {
    let response = try await answer(to: request, permissions)
    do {
      return try JSONValue(parsing: response.body)
    } catch {
      throw GraphFailure(.unusable, "The answer of \(request.url.withoutQuery) is not JSON: \(error.description)")
    }
  }
}

/// The fate of one attempt.
private enum Attempt {
  case done(HTTPResponse)
  /// Worth a repetition, after a wait that the service may have named.
  case again(GraphFailure, Duration?)
  case refused(TokenRefused)
}

extension GraphClient {
  /// The response of success.
  private func answer(to request: HTTPRequest, _ permissions: String) async throws(GraphFailure) -> HTTPResponse {
    var isUncertain = false
    do throws(GraphFailure) {
      return try await repeated(request, permissions, &isUncertain)
    } catch {
      guard isUncertain else { throw error }
      let sentence = error.text.hasSuffix(".") ? error.text : error.text + "."
      throw GraphFailure(error.kind, "\(sentence) It may have been carried out anyway; look before you repeat it.")
    }
  }

  /// Sets `isUncertain` once the service may have carried out an order although an attempt failed.
  private func repeated(
    _ request: HTTPRequest, _ permissions: String, _ isUncertain: inout Bool
  ) async throws(GraphFailure) -> HTTPResponse {
    var request = request
    request.headers["Accept"] = "application/json"
    request.headers["client-request-id"] = String.randomUUID
    var backOff = BackOff()
    var refusal: TokenRefused?
    var wasRefused = false
    for attempt in 1... {
      request.headers["Authorization"] = "Bearer \(try await tokens.token(after: refusal))"
      refusal = nil
      switch try await send(request, permissions, &isUncertain) {
      case .done(let response): return response
      case .refused(let next):
        guard !wasRefused else {
          let advice = "Check that the token is for \(root.origin) and not yet expired."
          throw GraphFailure(.signIn, "\(root.origin) refuses the token, and a new one, too. \(advice)")
        }
        (refusal, wasRefused) = (next, true)
      case .again(let failure, let asked):
        let wait = max(asked ?? .zero, backOff.next())
        guard attempt < limits.attempts, wait <= limits.longestWait else { throw failure }
        do { try await sleep(wait) } catch { throw GraphFailure(.unavailable, "Canceled while waiting for Graph.") }
      }
    }
    throw GraphFailure(.unavailable, "Graph did not answer.")
  }

  private func send(
    _ request: HTTPRequest, _ permissions: String, _ isUncertain: inout Bool
  ) async throws(GraphFailure) -> Attempt {
    let response: HTTPResponse
    do throws(HTTPFailure) {
      response = try await http.send(request, patience: limits.patience, largestBody: limits.bodyBytes)
    } catch {
      if request.method != "GET", error.kind.leavesDoubt { isUncertain = true }
      return try fate(of: error, request)
    }
    if request.method != "GET", response.status >= 500 { isUncertain = true }
    let total = state.withLock { state in
      state.hasAnswered = true
      state.bytes += response.body.count
      return state.bytes
    }
    guard total <= limits.allBytes else {
      throw GraphFailure(.unusable, "\(root.origin) sent more than \(limits.allBytes >> 20) MiB in one run.")
    }
    return try fate(of: response, request, permissions)
  }

  /// A connection that fails is worth another try, once the service has answered at all.
  private func fate(of failure: HTTPFailure, _ request: HTTPRequest) throws(GraphFailure) -> Attempt {
    let text = "\(request.url.withoutQuery): \(failure.text)"
    let hasAnswered = state.withLock(\.hasAnswered)
    switch failure.kind {
    case .late, .cutOff: return .again(GraphFailure(.unavailable, text), nil)
    case .cannotConnect where hasAnswered: return .again(GraphFailure(.unavailable, text), nil)
    case .cannotConnect, .notTrusted: throw GraphFailure(.unavailable, text)
    case .cancelled: throw GraphFailure(.unavailable, "Canceled.")
    case .badURL, .tooLarge: throw GraphFailure(.unusable, text)
    }
  }

  private func fate(
    of response: HTTPResponse, _ request: HTTPRequest, _ permissions: String
  ) throws(GraphFailure) -> Attempt {
    let place = "\(request.method) \(request.url.withoutQuery)"
    guard !(200..<300).contains(response.status) else {
      guard !response.isWebPage else {
        throw GraphFailure(.unusable, HTTPResponse.webPageText(from: place, status: response.status))
      }
      // Without Content-Length, a body that was cut off looks complete.
      let isCut = request.method == "GET" && (try? JSONValue(parsing: response.body)) == nil
      return isCut ? .again(GraphFailure(.unavailable, "\(place): the body is not whole JSON."), nil) : .done(response)
    }
    let body = GraphErrorBody(response.body)
    let text = "\(place): status \(response.status), \(body?.text ?? "without a reason")"
    switch response.status {
    case 401: return .refused(TokenRefused(response))
    case 403: throw GraphFailure(.forbidden, "\(text). Grant \(permissions) to the app, and consent as administrator.")
    // Something between here and Graph may know less than Graph does.
    case 404: throw GraphFailure(body == nil && !response.body.isEmpty ? .refused : .notFound, text, body)
    case 429, 502, 503, 504: return .again(GraphFailure(.unavailable, text), wait(of: response, body))
    case 300..<400: throw GraphFailure(.unusable, "\(place): status \(response.status); redirects are not followed.")
    default: throw GraphFailure(.refused, text, body)
    }
  }

  private func wait(of response: HTTPResponse, _ body: GraphErrorBody?) -> Duration? {
    response.headers.retryAfter(at: clock.now)
      ?? body?.retryAfter.map { .milliseconds(Int64(min(max(0, $0), 1e6) * 1000)) }
  }
}

extension JSONObject {
  private static let link = "@odata.nextLink"

  /// Where the list of a member goes on; `nil` if it ends. `member` is empty for the list of a page. A list ends only
  /// where Graph says nothing of another page, so anything else that looks like a link is an error.
  func nextLink(after member: String, of place: String) throws(GraphFailure) -> String? {
    let name = member + Self.link
    let links = names.filter { other in
      let text = other.lowercasedASCII
      return text.hasSuffix("nextlink") && (text.hasPrefix("\(member.lowercasedASCII)@") || member.isEmpty)
    }
    guard !links.isEmpty else { return nil }
    guard links == [name], let link = self[name]?.stringValue else {
      throw GraphFailure(
        .unusable,
        "The answer of \(place) does not say how \(member.isEmpty ? "the list" : member) goes on: \(name) is not a text."
      )
    }
    return link
  }
}

extension JSONValue {
  /// The elements of a list of objects; `nil` for anything else.
  var objects: [JSONObject]? {
    guard let values = arrayValue, case let objects = values.compactMap(\.objectValue), objects.count == values.count
    else { return nil }
    return objects
  }
}

extension String {
  /// A URL as a message shows it. A query may be long, and a `$skiptoken` tells nobody anything.
  package var withoutQuery: String { String(prefix { $0 != "?" }).shown(atMost: 200) }
}

extension HTTPFailure.Kind {
  /// Whether the service may have got the request.
  fileprivate var leavesDoubt: Bool {
    switch self {
    case .late, .cutOff, .cancelled, .tooLarge: true
    case .cannotConnect, .notTrusted, .badURL: false
    }
  }
}
