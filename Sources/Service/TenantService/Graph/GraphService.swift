import Cryptography
import Database
import HTTP
import JSON
import Model
import Support

/// Answers administrators in the shapes of Microsoft Graph, below `/v1.0` and `/beta`: reads everything, orders wipes and,
/// with an editor, changes the tenant.
package struct GraphService: Sendable {
  package struct Settings: Sendable {
    /// Without a slash at its end. Links are built from it, never from the header `Host`, which a client chooses.
    package var publicURL: String { url() }
    private let url: @Sendable () -> String
    package var administrators = GraphAdministrators()
    /// How many elements a page has unless `$top` says it.
    package var pageSize = GraphQuery.usualPage
    /// Whether the tenant is one for development, whose users and groups can be changed, too.
    package var isDevelopment = false

    /// The URL may become known only when the service listens.
    package init(publicURL: @autoclosure @escaping @Sendable () -> String) {
      url = {
        let text = publicURL()
        return text.hasSuffix("/") ? String(text.dropLast()) : text
      }
    }
  }

  let settings: Settings
  let store: any GraphStore
  /// Changes the tenant; `nil` if it is read-only here.
  let editor: (any TenantEditor)?
  private let tenant: @Sendable () -> GraphTenant?
  let clock: any Clock
  let timeOfStore: @Sendable () async throws(DatabaseError) -> Timestamp
  /// Comparisons of whole tenants wait for each other, so that they take one processor at most.
  let comparisons = EditTurn()

  /// `tenant` gives the served tenant; `nil` while there is none. `timeOfStore` is the time for what is stored, by
  /// default that of the clock.
  package init(
    _ settings: Settings, store: any GraphStore, editor: (any TenantEditor)? = nil,
    tenant: @escaping @Sendable () -> GraphTenant?, clock: any Clock = SystemClock(),
    timeOfStore: (@Sendable () async throws(DatabaseError) -> Timestamp)? = nil
  ) {
    (self.settings, self.store, self.editor, self.tenant, self.clock) = (settings, store, editor, tenant, clock)
    self.timeOfStore = timeOfStore ?? { clock.now }
  }

  /// The router names the request in a header of its own.
  package func response(
    to request: HTTPRequest, at target: HTTPTarget, by authorization: Authorization,
    report: @Sendable (GraphReport) -> Void
  ) async -> HTTPResponse {
    await response(to: request, target, report) { () throws(GraphError) in try Self.caller(authorization) }
  }

  /// The response to a request, or to a part of a batch by the caller of the batch.
  func response(
    to request: HTTPRequest, _ target: HTTPTarget, isPart: Bool = false, _ report: @Sendable (GraphReport) -> Void,
    by caller: () throws(GraphError) -> Caller
  ) async -> HTTPResponse {
    var right = GraphAdministrators.Right.read
    let response: HTTPResponse
    do throws(GraphError) {
      let answer = try await answer(to: request, target, isPart: isPart, try caller(), &right, report)
      response = self.response(answer, to: request)
    } catch {
      response = error.response(to: request, id: request.headers["request-id"] ?? "none", at: clock.now)
    }
    // A wipe is in the audit where it is ordered.
    if right == .write || isPart && !(right == .wipe && response.status == 204) {
      report(.call(GraphReport.Call(request.method, target, response.status, isWrite: right == .write)))
    }
    return response
  }

  private static func caller(_ authorization: Authorization) throws(GraphError) -> Caller {
    switch authorization {
    case .caller(let caller): return caller
    case .missing, .refused: throw .unauthenticated
    case .unavailable(let wait): throw .unavailable(after: wait)
    }
  }

  private func answer(
    to request: HTTPRequest, _ target: HTTPTarget, isPart: Bool, _ caller: Caller,
    _ right: inout GraphAdministrators.Right, _ report: @Sendable (GraphReport) -> Void
  ) async throws(GraphError) -> GraphAnswer {
    guard let tenant = tenant() else { throw .unavailable(after: .seconds(10)) }
    // A provider may have one issuer for the administrators of several tenants.
    if let id = caller.tenantId, id.lowercasedASCII != tenant.snapshot.tenantId.lowercasedASCII {
      throw GraphError(403, "Forbidden", "The token is for another tenant.")
    }
    let path = GraphPath(target, url: request.url)
    let call = GraphCall(
      service: self, tenant: tenant, path: path, target: target, request: request, caller: caller)
    // Check the right to read first: a 404 would reveal which resources exist.
    guard settings.administrators.permits(.read, caller) else { throw settings.administrators.refusal(.read) }
    if path.isBatch {
      guard !isPart else { throw .badRequest("A batch cannot be in a batch.") }
      return try await call.batch(report)
    }
    let route = try call.route()
    right = route.right
    guard settings.administrators.permits(route.right, caller) else {
      throw settings.administrators.refusal(route.right)
    }
    do {
      let answer = try await route.answer(call, path.arguments(of: route))
      guard !path.isCount || answer.isCount else {
        throw GraphError.notFound("\(path.text.prefix(200)) is not there: only a list has a $count.")
      }
      return answer
    } catch let error as GraphError {
      throw error
    } catch let error as DatabaseError {
      report(.failure(error))
      guard error.reason == .unavailable else { throw .failed }
      throw .unavailable(after: .seconds(5))
    } catch {
      report(.failure(DatabaseError(.failed, "\(error)")))
      throw .failed
    }
  }

  static let type = "application/json;odata.metadata=minimal;charset=utf-8"

  private func response(_ answer: GraphAnswer, to request: HTTPRequest) -> HTTPResponse {
    var response =
      switch answer {
      case .done: HTTPResponse(204)
      case .created(let value):
        HTTPResponse(201, headers: HTTPHeaders(["Content-Type": Self.type]), body: Array(value.jsonText.utf8))
      case .schema(let text): Self.response(Array(text.utf8), "application/xml", to: request)
      case .count(let count): Self.response(Array("\(count)".utf8), "text/plain", to: request)
      case .value(let value):
        Self.response(Array(value.jsonText.utf8), Self.type, to: request)
      }
    response.headers["OData-Version"] = "4.0"
    return response
  }

  /// The entity tag of a body.
  static func tag(of body: [UInt8]) -> String? {
    (try? SHA256.digest(body)).map { "W/\"\(Base64URL.encode($0.prefix(16)))\"" }
  }

  /// 304 if the client has the body already.
  private static func response(_ body: [UInt8], _ type: String, to request: HTTPRequest) -> HTTPResponse {
    let tag = Self.tag(of: body)
    let isKnown = tag.map { request.headers.all("If-None-Match").joined(separator: ",").contains($0) } ?? false
    var response = isKnown ? HTTPResponse(304) : HTTPResponse(200, body: body)
    if !isKnown { response.headers["Content-Type"] = type }
    response.headers["ETag"] = tag
    response.headers["Cache-Control"] = "private, no-cache"
    return response
  }
}

/// What a request gets if nothing is wrong with it.
enum GraphAnswer: Sendable {
  case value(JSONValue)
  case created(JSONValue)
  /// The document that describes the service.
  case schema(String)
  /// The number of elements of a list.
  case count(Int)
  /// An action was carried out.
  case done

  fileprivate var isCount: Bool {
    if case .count = self { true } else { false }
  }
}

/// A request with all that answers it.
struct GraphCall: Sendable {
  let service: GraphService
  let tenant: GraphTenant
  let path: GraphPath
  let target: HTTPTarget
  let request: HTTPRequest
  let caller: Caller

  var store: any GraphStore { service.store }

  var isBeta: Bool { path.version == "beta" }

  /// What answers the request.
  fileprivate func route() throws(GraphError) -> GraphRoute {
    let isRead = request.method == "GET" || request.method == "HEAD"
    let isWritable = service.editor != nil
    let routes = GraphRoute.find(path, writable: isWritable, development: service.settings.isDevelopment)
    if let route = routes.first(where: { $0.method == (isRead ? "GET" : request.method) }) { return route }
    guard let first = routes.first else {
      guard !isRead else { throw .notFound("There is no resource \(path.text.prefix(200)) here.") }
      throw isWritable
        ? .badRequest("Resource not found for the segment '\(path.parts.last ?? "")'.") : .notAllowed("GET, HEAD")
    }
    // In a list that can be written, Graph knows no such route.
    if isWritable, !isRead, first.method == "GET" { throw noRoute(first.template) }
    let allowed = routes.map { $0.method == "GET" ? "GET, HEAD" : $0.method }.joined(separator: ", ")
    throw isWritable ? .otherMethod(allowed) : .notAllowed(allowed)
  }

  /// The object as the version of the path has it.
  func visible(_ object: JSONObject) -> JSONObject {
    isBeta
      ? object
      : JSONObject(
        object.members.filter { !GraphPolicyType.betaMembers.contains($0.name) }.map { ($0.name, $0.value) })
  }

  /// `properties` are those of the elements, which the query may name.
  func query(
    of properties: GraphProperties, _ options: Set<String> = GraphCall.listOptions, expanding: [String] = [],
    parameters: [String] = []
  ) throws(GraphError) -> GraphQuery {
    let query =
      if path.isCount {
        try GraphQuery(counting: target)
      } else {
        try GraphQuery(
          target, options: expanding.isEmpty ? options : options.union(["$expand"]), expanding: expanding,
          parameters: parameters)
      }
    return try properties.check(query)
  }

  /// Throws if the request has a query.
  func checkNoQuery() throws(GraphError) { _ = try GraphQuery(target) }

  static let listOptions: Set<String> = ["$top", "$skip", "$select", "$count", "$filter", "$orderby", "$skiptoken"]
  /// Of a list that the store sorts.
  static let storedOptions = listOptions.subtracting(["$orderby"])
  static let itemOptions: Set<String> = ["$select"]

  /// `@odata.context` of a list or an item.
  func context(_ what: String) -> JSONValue {
    .string("\(service.settings.publicURL)/\(path.version)/$metadata#\(what)")
  }

  /// The answer for one object of a collection.
  func item(_ object: JSONObject, _ context: String, _ query: GraphQuery) -> GraphAnswer {
    .value(entity(query.selected(object), context))
  }

  func entity(_ object: JSONObject, _ context: String) -> JSONValue {
    .object(JSONObject([("@odata.context", self.context(context + "/$entity"))]).adding(object))
  }
}

extension JSONObject {
  func adding(_ other: JSONObject) -> JSONObject {
    var object = self
    for member in other.members { object[member.name] = member.value }
    return object
  }
}

extension GraphService: GraphRoutes {
  /// The service over a store and the tenant that it serves.
  package init(
    _ settings: Settings, store: TenantStore, served: ServedTenant, editor: (any TenantEditor)? = nil,
    clock: any Clock = SystemClock()
  ) {
    let storeTime = StoreTime(clock)
    let shown = Lock<(generation: Int64, published: Timestamp, tenant: GraphTenant)?>(nil)
    self.init(
      settings, store: store, editor: editor,
      tenant: {
        guard let edition = served.edition else { return nil }
        if let known = shown.withLock({ $0 }), known.generation == edition.generation,
          known.published == edition.published
        {
          return known.tenant
        }
        let tenant = GraphTenant(edition.tenant)
        shown.withLock { $0 = (edition.generation, edition.published, tenant) }
        return tenant
      }, clock: clock, timeOfStore: { () throws(DatabaseError) in try await store.time(by: storeTime) })
  }
}
