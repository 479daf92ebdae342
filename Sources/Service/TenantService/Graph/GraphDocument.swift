import JSON
import Model

/// The OpenAPI document of what administrators ask, below `/v1.0` and `/beta`: schema/administrators.openapi.json. Paths
/// and methods come from the routes, and the members of policies from the table of settings.
package enum GraphDocument {
  package static var text: String { document.indentedText + "\n" }

  static var document: JSONValue {
    [
      "openapi": "3.1.0",
      "info": ["title": "mambridge-tenant: administrators", "version": "1", "description": .string(about)],
      "servers": [["url": "/beta"], ["url": "/v1.0"]],
      "security": [["administrator": []]],
      "paths": .object(paths),
      "components": [
        "schemas": .object(GraphSchemas.all), "responses": .object(refusalResponses),
        "securitySchemes": [
          "administrator": [
            "type": "http", "scheme": "bearer",
            "description": "A token whose role serve names with --admin-role, --write-role or --audit-role.",
          ]
        ],
      ],
    ]
  }

  private static let about = """
    What administrators ask of mambridge-tenant, in the shapes of Microsoft Graph. Paths below mambridge are not in Graph. \
    POST, PATCH and DELETE of policies need a service with --writable; those of users and groups, a development tenant. \
    v1.0 has neither windowsManagedAppProtections nor the members appGroupType, targetedAppManagementLevels, \
    roleScopeTagIds and settings. Names in paths may be in any case, and a key may be in parentheses, as in users('ID').
    """

  private static var paths: JSONObject {
    var paths: JSONObject = [:]
    for route in GraphRoute.all {
      let parts = parts(of: route)
      let path = "/" + parts.joined(separator: "/")
      var item = paths[path]?.objectValue ?? [:]
      let keys = parts.filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
      if !keys.isEmpty {
        item["parameters"] = .array(keys.map { parameter($0, in: "path", ["type": "string", "minLength": 1]) })
      }
      item[route.method.lowercased()] = .object(operation(route, path))
      paths[path] = .object(item)
    }
    paths["/$batch"] = [
      "post": .object(
        operation("POST", "/$batch", .read, body: .reference(to: "schemas", "batch"), answers: ["200": "object"]))
    ]
    return paths
  }

  /// The parts of the path, with `{id}` for a key, and `{id2}` for a second one.
  private static func parts(of route: GraphRoute) -> [String] {
    var keys = 0
    return route.path.split(separator: "/").map { part in
      guard part == "*" else { return String(part) }
      keys += 1
      return keys == 1 ? "{id}" : "{id\(keys)}"
    }
  }

  private static func operation(_ route: GraphRoute, _ path: String) -> JSONObject {
    var operation = operation(
      route.method, path, route.right, body: GraphSchemas.body(of: route), answers: answers(of: route))
    let query = query(of: route)
    if !query.isEmpty { operation["parameters"] = .array(query) }
    return operation
  }

  /// By status: the name of the schema.
  private static func answers(of route: GraphRoute) -> KeyValuePairs<String, String> {
    let name = route.path.split(separator: "/").last ?? ""
    switch route.method {
    case "GET": return ["200": route.path == "$metadata" ? "" : "object"]
    case "POST" where name == "assignLicense": return ["200": "object"]
    case "POST" where route.right == .wipe: return ["204": ""]
    case "POST" where GraphSchemas.creates(String(name)): return ["200": "object", "201": "object"]
    default: return ["200": "object", "204": ""]
    }
  }

  private static func operation(
    _ method: String, _ path: String, _ right: GraphAdministrators.Right, body: JSONValue?,
    answers: KeyValuePairs<String, String>
  ) -> JSONObject {
    var operation: JSONObject = [
      "operationId": .string(method.lowercased() + path), "summary": .string("Needs the right to \(right.verb)."),
    ]
    if let body { operation["requestBody"] = ["required": true, "content": ["application/json": ["schema": body]]] }
    var responses: [(String, JSONValue)] = answers.map { status, schema in
      (status, response(status == "200" && method != "GET" ? "Done, or a preview." : "Done.", schema))
    }
    responses += (refusals + (method == "GET" ? [] : refusalsOfWrites)).map { status, _ in
      (status, .reference(to: "responses", status))
    }
    operation["responses"] = .object(JSONObject(responses.sorted { $0.0 < $1.0 }))
    return operation
  }

  private static let refusals = [
    ("400", "The path, the query or the body is not valid."), ("401", "A token is needed, or is not valid."),
    ("403", "The caller has no right to do this."), ("404", "There is no such object."),
    ("405", "The path has other methods."), ("409", "The tenant does not permit this as it is."),
    ("429", "Too many requests."), ("500", "The service has failed; its log says why."),
    ("503", "The service cannot answer now, or others change the tenant."),
  ]

  private static let refusalsOfWrites = [
    ("408", "The body did not come in time."), ("412", "The policy has changed."), ("413", "The body is too large."),
    ("415", "The body is compressed."),
  ]

  /// By status.
  private static var refusalResponses: JSONObject {
    JSONObject((refusals + refusalsOfWrites).map { ($0, response($1, "error")) })
  }

  /// Without a schema, the body is not JSON, or there is none.
  private static func response(_ text: String, _ schema: String) -> JSONValue {
    guard !schema.isEmpty else { return ["description": .string(text)] }
    let content: JSONValue = ["application/json": ["schema": .reference(to: "schemas", schema)]]
    return ["description": .string(text), "content": content]
  }

  private static func query(of route: GraphRoute) -> [JSONValue] {
    switch route.method {
    case "GET" where route.path == "$metadata": return []
    case "GET" where route.path.hasSuffix("/differences"):
      return [parameter("from", in: "query", ["type": "integer", "minimum": 1], isRequired: true)] + lists
    case "GET": return route.path.hasSuffix("*") ? [select] : [select] + lists
    default: return route.right == .write ? [parameter("$preview", in: "query", ["type": "boolean"])] : []
    }
  }

  private static let select = parameter("$select", in: "query", ["type": "string"])
  /// Not every list takes all of them; 400 says which it takes.
  private static let lists =
    [
      ("$top", ["type": "integer", "minimum": 1]), ("$skip", ["type": "integer", "minimum": 0]),
      ("$count", ["type": "boolean"]), ("$filter", ["type": "string"]), ("$orderby", ["type": "string"]),
      ("$skiptoken", ["type": "string"]), ("$expand", ["type": "string"]),
    ].map { parameter($0.0, in: "query", $0.1) }

  private static func parameter(
    _ name: String, in place: String, _ schema: JSONValue, isRequired: Bool = false
  ) -> JSONValue {
    [
      "name": .string(name), "in": .string(place), "required": .bool(isRequired || place == "path"), "schema": schema,
    ]
  }
}

extension GraphAdministrators.Right {
  fileprivate var verb: String {
    switch self {
    case .read: "read"
    case .wipe: "wipe"
    case .write: "change the tenant"
    case .audit: "read the history of the tenant"
    }
  }
}
