// TenantService is the tenant service without a network: it answers requests that are values, out of a store and a
// snapshot of the tenant.
//
// CheckIn/ is what hosts ask: a check-in with a token or with the secret of a registration, and the long poll that
// lets a wipe arrive within a second. Tokens/ checks OpenID Connect tokens. Graph/ has the paths of Microsoft Graph
// that administrators' tools use. Store/ has the tables, the audit, and the editions of the tenant: a version that
// takes away too much is held until an administrator accepts it. Serve/ puts them together: routes, limits, health,
// metrics.
//
// Nothing that a caller sends is believed before it is checked, and nothing in a log or an answer tells one user
// about another.

import Database
import HTTP
import JSON
import Support
import Tenancy

/// The service: answers requests, whoever carries them.
package final class TenantService: HTTPResponder {
  let parts: ServiceParts
  let tokens: any TokenChecker
  private let graph: (any GraphRoutes)?
  let otherTime: @Sendable () async -> Timestamp?
  /// When the certificate of the service expires; `nil` without one.
  let certificateEnd: @Sendable () -> Timestamp?
  let probe: StoreProbe
  /// Lets one refusal of a caller an hour into the audit, so that nobody can fill it.
  private let refusals = RequestLimiter(burst: 1, rate: 1.0 / 3600)

  /// `graph` is `nil` for a service without administrators. `otherTime` is the time of a clock that this service does
  /// not set, such as that of the identity provider; `nil` if nobody says it. `certificateEnd` is when the certificate
  /// expires; `nil` without one. `log` gets single lines without secrets.
  package init(
    store: TenantStore, served: ServedTenant, tokens: any TokenChecker, graph: (any GraphRoutes)? = nil,
    options: ServiceOptions = ServiceOptions(), clock: any Clock = SystemClock(),
    otherTime: @escaping @Sendable () async -> Timestamp? = { nil },
    certificateEnd: @escaping @Sendable () -> Timestamp? = { nil }, log: @escaping @Sendable (String) -> Void
  ) {
    parts = ServiceParts(
      tenants: store, served: served,
      hub: ChangeHub(limit: options.openPolls, limitOfRegistration: options.openPollsOfRegistration),
      metrics: ServiceMetrics(),
      limiter: RequestLimiter(burst: options.requestBurst, rate: options.requestsPerSecond),
      enrollments: RequestLimiter(burst: options.enrollmentBurst, rate: options.enrollmentsPerSecond),
      options: options, clock: clock, storeTime: StoreTime(clock), maintenance: MaintenanceWatch(), log: log)
    (self.otherTime, self.certificateEnd) = (otherTime, certificateEnd)
    probe = StoreProbe(store) { [parts] in parts.report($0) }
    self.tokens = tokens
    self.graph = graph
    served.listen { [hub = parts.hub] in hub.notifyAll() }
    store.database.listen { [weak self] in self?.hear($0) }
  }

  package func response(to request: HTTPRequest, from peer: String) async -> HTTPResponse {
    let arrival = Arrival(request, peer)
    let target = HTTPTarget(request.url)
    let route = target.flatMap { Route($0.path) }
    CrashTrace.note(call: route?.pattern ?? Route.nowhere)
    let (response, user) = await answer(arrival.request, target, route)
    return finish(response, to: arrival, user: user)
  }

  package func refusal(
    _ status: Int, because fault: String?, of request: HTTPRequest, from peer: String
  ) -> HTTPResponse {
    let arrival = Arrival(request, peer)
    let problem: Problem =
      switch status {
      case 400: Problem(.badRequest, fault ?? "the head of the request breaks the rules of HTTP")
      case 413: .tooLarge(limit: parts.options.largestBody)
      case 415: .encodedBody
      case 503: .unavailable("the service has no room for the request", retryAfter: .seconds(parts.options.retryAfter))
      default: Problem(.timeout, "the body did not come in time")
      }
    return finish(refusal(problem, of: arrival.request), to: arrival, user: nil)
  }

  /// A request with what the log says about it.
  private struct Arrival {
    let start = ContinuousClock.now
    let id = String.randomUUID
    let peer: String
    /// With its id in a header, because Graph's error object names it, too.
    private(set) var request: HTTPRequest

    init(_ request: HTTPRequest, _ peer: String) {
      (self.request, self.peer) = (request, peer)
      self.request.headers["request-id"] = id
    }
  }

  /// Names the request in its response, counts and logs it.
  private func finish(_ response: HTTPResponse, to arrival: Arrival, user: String?) -> HTTPResponse {
    var response = response
    let request = arrival.request
    response.headers["request-id"] = arrival.id
    if let client = request.clientRequestID { response.headers["client-request-id"] = client }
    let duration = ContinuousClock.now - arrival.start
    let route = HTTPTarget(request.url).flatMap { Route($0.path) }
    parts.metrics.count(
      route: route?.pattern ?? Route.nowhere, status: response.status, seconds: duration / .seconds(1))
    parts.log(AccessLine(request, response, peer: arrival.peer, user: user, id: arrival.id, duration).text)
    return response
  }

  /// The user is for the log; `nil` if no token was accepted.
  private func answer(
    _ request: HTTPRequest, _ target: HTTPTarget?, _ route: Route?
  ) async -> (HTTPResponse, user: String?) {
    var user: String?
    do throws(Problem) {
      guard let target else { throw Problem(.badRequest, "the path is not valid UTF-8") }
      guard let route else { throw Problem(.notFound, "there is nothing at this path") }
      guard request.body.count <= parts.options.largestBody else {
        throw .tooLarge(limit: parts.options.largestBody)
      }
      guard route.methods.isEmpty || route.methods.contains(request.method) else {
        throw .methodNotAllowed(route.methods)
      }
      return (try await answer(route, request, target, &user), user)
    } catch {
      return (refusal(error, of: request), user)
    }
  }

  /// Administrators get every refusal in the shape of Graph, also that of a path that cannot be read.
  private func refusal(_ problem: Problem, of request: HTTPRequest) -> HTTPResponse {
    guard graph != nil, Route.isGraph(request.url) else { return problem.response }
    let id = request.headers["request-id"] ?? "none"
    return GraphError(problem).response(to: request, id: id, at: parts.clock.now)
  }

  private func answer(
    _ route: Route, _ request: HTTPRequest, _ target: HTTPTarget, _ user: inout String?
  ) async throws(Problem) -> HTTPResponse {
    switch route {
    case .description: return description
    case .live: return HTTPResponse(200, json: Array(#"{"status":"live"}"#.utf8))
    case .ready: return await ready
    case .checkIn: return try await checkIn(request, &user)
    case .changes:
      return HTTPResponse(200, json: try await Changes(parts, request.decoded()).answer(request.didProve).jsonBytes)
    case .report(let registration, let operation):
      let response = try await SecretRoutes(parts: parts).report(
        request.decoded(), on: operation, from: registration, request.headers)
      request.didProve()
      return response
    case .registration(let id):
      let response = try await SecretRoutes(parts: parts).leave(id, request.headers)
      request.didProve()
      return response
    case .graph: return try await administer(request, target, &user)
    }
  }

  private func checkIn(_ request: HTTPRequest, _ user: inout String?) async throws(Problem) -> HTTPResponse {
    let body: CheckInRequest = try request.decoded()
    guard let edition = parts.served.edition else {
      throw .unavailable("the service has no tenant yet", retryAfter: .seconds(parts.options.retryAfter))
    }
    let authorization = await authorization(of: request)
    user = authorization.caller?.objectId
    let now = try await parts.timeOfStore()
    let answer = try await CheckIn(parts: parts, edition: edition, request: body, now: now).answer(authorization)
    request.didProve()
    return HTTPResponse(200, json: answer)
  }

  /// Every call of an administrator is in the audit; of callers that are refused, one an hour.
  private func administer(
    _ request: HTTPRequest, _ target: HTTPTarget, _ user: inout String?
  ) async throws(Problem) -> HTTPResponse {
    guard let graph else { throw Problem(.notFound, "this service has no administrators") }
    let authorization = await authorization(of: request)
    let actor = authorization.caller?.name
    user = actor
    if authorization.caller != nil, actor == nil {
      throw Problem(
        .forbidden, "the token names nobody, so the audit could not either: it has no oid, azp, appid, client_id or sub"
      )
    }
    if let actor { try parts.limit(.user(actor)) }
    let reported = Lock<[GraphReport.Call]>([])
    let response = await graph.response(to: request, at: target, by: authorization) { [parts] report in
      switch report {
      case .failure(let failure): parts.report(failure)
      case .call(let call): reported.withLock { $0.append(call) }
      }
    }
    guard let actor else { return response }
    let calls = reported.withLock { $0 }
    // A batch counts as its requests.
    for _ in calls.dropFirst() { _ = parts.limiter.take(.user(actor), at: parts.clock.now) }
    let isBatch = target.path.last == "$batch" && response.status < 300
    let own =
      calls.isEmpty && !isBatch ? [GraphReport.Call(request.method, target, response.status, isWrite: false)] : calls
    let entries = own.filter { mustAudit($0, actor) }
    guard !entries.isEmpty else { return response }
    let now = try await parts.timeOfStore()
    // What was written stays written: a failure now must not make its sender repeat it.
    let isDone = calls.contains { $0.isWrite && $0.status < 300 }
    do throws(Problem) {
      try await parts.store { store throws(DatabaseError) in
        for call in entries { try await store.append(AuditEntry(now, actor, call)) }
      }
    } catch  where !isDone {
      throw error
    } catch {}
    return response
  }

  /// A wipe is in the audit already, in the transaction that has ordered it: a failure now must not make its sender repeat
  /// it.
  private func mustAudit(_ call: GraphReport.Call, _ actor: String) -> Bool {
    switch call.status {
    case 204: call.isWrite
    case 403: refusals.take(.user(actor), at: parts.clock.now) == nil
    default: true
    }
  }

  private func authorization(of request: HTTPRequest) async -> Authorization {
    let authorization = await tokens.authorization(of: request.headers, at: parts.clock.now)
    if authorization.caller != nil { request.didProve() }
    if case .refused(let reason) = authorization {
      parts.metrics.count(.refusedToken)
      parts.log("refused a token: \(AccessLine.printable(reason))")
    }
    return authorization
  }

  private func hear(_ notice: DatabaseNotice) {
    switch notice {
    case .missed:
      Task { await updateEdition() }
      Task { await wakePollsAfterHold() }
    case .sent(let text):
      switch ServiceNotice(text) {
      case .snapshot: Task { await updateEdition() }
      case .operation(let user): parts.hub.notify(user: user)
      case .hold: Task { await wakePollsAfterHold() }
      case nil: break
      }
    }
  }
}

extension AuditEntry {
  fileprivate init(_ time: Timestamp, _ actor: String, _ call: GraphReport.Call) {
    let action: Action = call.status == 403 ? .refuse : call.isWrite ? .write : .read
    let subject = "\(call.method) \(call.path)".prefix(500)
    self.init(time, actor, action, String(subject), outcome: "\(call.status)")
  }
}

extension Caller {
  private static let clientClaims = ["azp", "appid", "client_id"]

  /// A token with scopes is a person's, who shares the client with others; one without is a program's.
  private var nameClaims: [String] {
    scopes.isEmpty ? Self.clientClaims + ["sub"] : (userClaim.map { [$0] } ?? []) + ["sub"] + Self.clientClaims
  }

  /// For the audit and the limits: the object id in lower case or, without one, what names the person or the program
  /// after the name of its claim, as in `azp:reporting`, so that no text that a provider lets somebody choose looks
  /// like a user or like a part of this service. `nil` for a token that names nobody.
  package var name: String? {
    if let objectId { return objectId.lowercasedASCII }
    for claim in nameClaims {
      if let text = claims[claim]?.stringValue, !text.isEmpty { return "\(claim):\(text)" }
    }
    return nil
  }
}

extension HTTPRequest {
  /// The name that the client has given to the request, which the response repeats; `nil` if it could break a header.
  var clientRequestID: String? { headers["client-request-id"].flatMap { $0.isPrintable(atMost: 100) ? $0 : nil } }

  /// The body as a record. Throws 400 with the place of the fault, or 415.
  fileprivate func decoded<Body: Record>() throws(Problem) -> Body {
    let type = headers["Content-Type"]?.split(separator: ";").first.map { $0.filter { $0 != " " }.lowercased() }
    guard type == "application/json" else {
      throw Problem(.unsupportedMediaType, "the body must be application/json")
    }
    let document: JSONDocument
    do throws(JSONParseError) { document = try JSONDocument(parsing: body) } catch {
      throw Problem(.badRequest, "the body is not JSON: \(error.description)")
    }
    do throws(JSONDecodingError) { return try Body.decode(document.root) } catch {
      throw Problem(.badRequest, "the body is not valid: \(error.message)")
    }
  }
}
