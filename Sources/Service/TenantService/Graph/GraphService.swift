import Cryptography
import Database
import HTTP
import JSON
import Model
import Support

/// Answers administrators in the shapes of Microsoft Graph, below `/v1.0` and `/beta`: reads everything, and orders
/// wipes.
package struct GraphService: Sendable {
  package struct Settings: Sendable {
    /// Without a slash at its end. Links are built from it, never from the header `Host`, which a client chooses.
    package var publicURL: String { url() }
    private let url: @Sendable () -> String
    package var administrators = GraphAdministrators()
    /// How many elements a page has unless `$top` says it.
    package var pageSize = GraphQuery.usualPage

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
  private let tenant: @Sendable () -> GraphTenant?
  let clock: any Clock
  let timeOfStore: @Sendable () async throws(DatabaseError) -> Timestamp

  /// `tenant` gives the served tenant; `nil` while there is none. `timeOfStore` is the time for what is stored, by
  /// default that of the clock.
  package init(
    _ settings: Settings, store: any GraphStore, tenant: @escaping @Sendable () -> GraphTenant?,
    clock: any Clock = SystemClock(),
    timeOfStore: (@Sendable () async throws(DatabaseError) -> Timestamp)? = nil
  ) {
    (self.settings, self.store, self.tenant, self.clock) = (settings, store, tenant, clock)
    self.timeOfStore = timeOfStore ?? { clock.now }
  }

  /// The router names the request in a header of its own.
  package func response(
    to request: HTTPRequest, at target: HTTPTarget, by authorization: Authorization,
    report: @Sendable (DatabaseError) -> Void
  ) async -> HTTPResponse {
    do throws(GraphError) {
      let answer = try await answer(to: request, target, try Self.caller(authorization), report)
      return response(answer, to: request)
    } catch {
      let id = request.headers["request-id"] ?? "none"
      return error.response(to: request, id: id, at: clock.now)
    }
  }

  private static func caller(_ authorization: Authorization) throws(GraphError) -> Caller {
    switch authorization {
    case .caller(let caller): return caller
    case .missing, .refused: throw .unauthenticated
    case .unavailable(let wait): throw .unavailable(after: wait)
    }
  }

  private func answer(
    to request: HTTPRequest, _ target: HTTPTarget, _ caller: Caller, _ report: @Sendable (DatabaseError) -> Void
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
    let isRead = request.method == "GET" || request.method == "HEAD"
    guard let route = GraphRoute.find(path) else {
      throw isRead ? .notFound("There is no resource \(path.text.prefix(200)) here.") : .notAllowed("GET, HEAD")
    }
    guard request.method == route.method || route.method == "GET" && isRead else {
      throw .notAllowed(route.method == "GET" ? "GET, HEAD" : route.method)
    }
    guard isRead || settings.administrators.permits(.wipe, caller) else {
      throw settings.administrators.refusal(.wipe)
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
      report(error)
      guard error.reason == .unavailable else { throw .failed }
      throw .unavailable(after: .seconds(5))
    } catch {
      report(DatabaseError(.failed, "\(error)"))
      throw .failed
    }
  }

  private func response(_ answer: GraphAnswer, to request: HTTPRequest) -> HTTPResponse {
    var response =
      switch answer {
      case .done: HTTPResponse(204)
      case .count(let count): Self.response(Array("\(count)".utf8), "text/plain", to: request)
      case .value(let value):
        Self.response(
          Array(value.jsonText.utf8), "application/json;odata.metadata=minimal;charset=utf-8", to: request)
      }
    response.headers["OData-Version"] = "4.0"
    return response
  }

  /// 304 if the client has the body already.
  private static func response(_ body: [UInt8], _ type: String, to request: HTTPRequest) -> HTTPResponse {
    let tag = (try? SHA256.digest(body)).map { "W/\"\(Base64URL.encode($0.prefix(16)))\"" }
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
    try properties.check(query)
    return query
  }

  /// Throws if the request has a query.
  func checkNoQuery() throws(GraphError) { _ = try GraphQuery(target) }

  static let listOptions: Set<String> = ["$top", "$skip", "$select", "$count", "$filter", "$skiptoken"]
  static let itemOptions: Set<String> = ["$select"]

  /// `@odata.context` of a list or an item.
  func context(_ what: String) -> JSONValue {
    .string("\(service.settings.publicURL)/\(path.version)/$metadata#\(what)")
  }

  /// The answer for one object of a collection.
  func item(_ object: JSONObject, _ context: String, _ query: GraphQuery) -> GraphAnswer {
    .value(.object(JSONObject([("@odata.context", self.context(context + "/$entity"))]).adding(query.selected(object))))
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
  package init(_ settings: Settings, store: TenantStore, served: ServedTenant, clock: any Clock = SystemClock()) {
    let storeTime = StoreTime(clock)
    let shown = Lock<(generation: Int64, published: Timestamp, tenant: GraphTenant)?>(nil)
    self.init(
      settings, store: store,
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
