import JSON
import SourceProtocol

/// The OpenAPI document of the service: schema/tenant.openapi.json.
package enum TenantDocument {
  package static var text: String { document.indentedText + "\n" }

  static var document: JSONValue {
    var components = SchemaComponents()
    let paths = paths(&components)
    _ = AnsweredHold.schema(in: &components)
    var schemas = components.object
    for (name, schema) in AnswerSchemas.all { schemas[name] = schema }
    return [
      "openapi": "3.1.0",
      "info": [
        "title": "mambridge-tenant", "version": .string("\(WireVersion.number)"), "description": .string(about),
      ],
      "paths": .object(paths),
      "components": ["schemas": .object(schemas), "securitySchemes": security],
    ]
  }

  private static let about = """
    The check-in of hosts with a tenant service. mambridge-tenant source speaks it for mambridge. Members that a reader \
    does not know are ignored, but no text may contain NUL, and integers have at most 64 bits. Each response has a \
    request-id, which the log of the service names too. The routes of administrators, below /v1.0 and /beta, are in \
    administrators.openapi.json.
    """

  private static let security: JSONValue = [
    "user": [
      "type": "http", "scheme": "bearer", "description": "A token of the user, as /mam/v1/ describes.",
    ],
    "registration": [
      "type": "apiKey", "in": "header", "name": "Authorization",
      "description": "The word Registration, a space, and the secret of the registration in base64.",
    ],
  ]

  private static func paths(_ components: inout SchemaComponents) -> JSONObject {
    [
      Route.description.pattern: [
        "get": operation(
          "describe", "What a host needs to know before it checks in.", answer: reference("ServiceDescription"))
      ],
      Route.checkIn.pattern: [
        "post": operation(
          "checkIn",
          """
          Deliver what applies to an account in an app. Without a valid token of the account, only pending operations \
          are delivered, with the outcome notModified; if there are none, the answer is 401 or 403, which has hold if the \
          secret of the registration is right.
          """,
          security: [["user": []], [:]], body: CheckInRequest.schema(in: &components),
          answer: reference("CheckInAnswer"), refusals: [.unauthorized, .forbidden, .tooManyRequests])
      ],
      Route.changes.pattern: [
        "post": operation(
          "waitForChanges", "Wait until registrations have something new. Their secrets are in the body.",
          body: ChangesRequest.schema(in: &components), answer: ChangesAnswer.schema(in: &components),
          refusals: [.tooManyRequests])
      ],
      Route.registration("").pattern: [
        "parameters": [identifier("id", &components)],
        "delete": operation(
          "leave", "End a registration. May be repeated.", security: [["registration": []]],
          refusals: [.unauthorized, .notFound, .tooManyRequests]),
      ],
      Route.report(registration: "", operation: "").pattern: [
        "parameters": [identifier("id", &components), identifier("operation", &components)],
        "post": operation(
          "report", "Say how an operation went. May be repeated.", security: [["registration": []]],
          body: OperationReport.schema(in: &components), answer: ["type": "object"],
          refusals: [.unauthorized, .notFound, .tooManyRequests]),
      ],
      Route.live.pattern: [
        "get": operation("isLive", "Whether the process answers.", answer: reference("Liveness"))
      ],
      Route.ready.pattern: ["get": .object(ready)],
    ]
  }

  /// 503 has the same body as 200.
  private static var ready: JSONObject {
    var operation =
      operation(
        "isReady", "Whether there is a tenant, a store that takes writes, and a certificate that has not expired.",
        answer: reference("Readiness")
      )
      .objectValue ?? [:]
    var responses = operation["responses"]?.objectValue ?? [:]
    responses["503"] = response("Not ready.", reference("Readiness"), header: "Retry-After")
    operation["responses"] = .object(responses)
    return operation
  }

  private static func operation(
    _ id: String, _ summary: String, security: JSONValue? = nil, body: JSONValue? = nil, answer: JSONValue? = nil,
    refusals: [Problem.Code] = []
  ) -> JSONValue {
    var object: JSONObject = ["operationId": .string(id), "summary": .string(summary)]
    if let security { object["security"] = security }
    var codes = refusals + [.badRequest, .failed, .unavailable]
    if let body {
      object["requestBody"] = ["required": true, "content": ["application/json": ["schema": body]]]
      codes += [.timeout, .tooLarge, .unsupportedMediaType]
    }
    var responses: JSONObject = [:]
    if let answer {
      responses["200"] = response("Done.", answer)
    } else {
      responses["204"] = response("Done.", nil)
    }
    for code in codes.sorted(by: { $0.status < $1.status }) {
      responses["\(code.status)"] = response(code.summary, reference("Problem"), header: code.header)
    }
    object["responses"] = .object(responses)
    return .object(object)
  }

  private static func response(_ summary: String, _ schema: JSONValue?, header: String? = nil) -> JSONValue {
    var headers: JSONObject = ["request-id": ["schema": ["type": "string", "format": "uuid"]]]
    if let header { headers[header] = ["required": true, "schema": ["type": "string"]] }
    var response: JSONObject = ["description": .string(summary), "headers": .object(headers)]
    if let schema { response["content"] = ["application/json": ["schema": schema]] }
    return .object(response)
  }

  private static func identifier(_ name: String, _ components: inout SchemaComponents) -> JSONValue {
    ["name": .string(name), "in": "path", "required": true, "schema": WireIdentifier.schema(in: &components)]
  }

  private static func reference(_ name: String) -> JSONValue { .reference(to: "schemas", name) }
}

extension Problem.Code {
  fileprivate var summary: String {
    switch self {
    case .badRequest: "The path or the body is not valid."
    case .unauthorized: "Authentication is needed, or is not valid."
    case .forbidden:
      "The token is for another account or tenant, the registration is not the caller's, or the user has too many."
    case .notFound: "There is no such registration or operation."
    case .methodNotAllowed: "The path has other methods."
    case .timeout: "The body did not come in time."
    case .tooLarge: "The body is too large."
    case .unsupportedMediaType: "The body is not application/json."
    case .tooManyRequests: "Too many requests."
    case .failed: "The service has failed; its log says why."
    case .unavailable: "The service cannot answer at the moment."
    }
  }

  fileprivate var header: String? {
    switch self {
    case .unauthorized: "WWW-Authenticate"
    case .methodNotAllowed: "Allow"
    case .tooManyRequests, .unavailable: "Retry-After"
    default: nil
    }
  }
}

/// What the service writes.
enum AnswerSchemas {
  static let all: KeyValuePairs<String, JSONValue> = [
    "CheckInAnswer": object(
      [
        ("version", ["const": .integer(WireVersion.number)]),
        (
          "outcome",
          described(
            ["enum": .array(CheckIn.Outcome.allCases.map { .string($0.rawValue) })],
            "With delivered come policies to mdm; with notModified, what was delivered before stays in force.")
        ),
        ("etag", text("Names all that is delivered, except the operations.")),
        ("revision", described(["type": "integer", "minimum": 0], "For changes.")),
        ("nextCheckIn", described(["type": "integer", "minimum": 1], "In seconds.")),
        ("push", described(["type": "boolean"], "Whether the host may wait for changes.")),
        ("user", .reference(to: "schemas", "User")),
        ("operations", ["type": "array", "items": .reference(to: "schemas", "Operation")]),
        ("hold", hold),
        ("policies", graphObjects("The protection policies that apply, as Graph writes them.")),
        ("hiddenDefaults", graphObjects("The default policies that a targeted policy hides.")),
        ("configurations", graphObjects("The app configurations that apply.")),
        ("allowedAccounts", ["type": ["array", "null"], "items": ["type": "string"]]),
        ("certificatePins", described(["type": "object"], "As in tenant.json.")),
        ("mdm", described(["type": ["object", "null"]], "As in tenant.json.")),
        (
          "unknownRestrictions",
          described(
            ["enum": ["report", "block"]], "Whether the host blocks accounts whose policies it does not fully know.")
        ),
      ], required: ["version", "outcome", "revision", "nextCheckIn", "push", "operations"]),
    "User": object(
      [
        ("id", ["type": "string", "format": "uuid"]), ("tenantId", ["type": "string", "format": "uuid"]),
        ("userPrincipalName", ["type": "string"]), ("displayName", ["type": "string"]),
        ("mail", ["type": ["string", "null"]]), ("clock", ["type": ["object", "null"]]),
      ], required: ["id", "tenantId", "userPrincipalName", "displayName"]),
    "Operation": object(
      [
        ("id", described(["type": "string", "format": "uuid"], "Carried out once for each id.")),
        ("type", ["enum": ["wipe", "wipeAndBlock"]]),
      ], required: ["id", "type"]),
    "ServiceDescription": object(
      [
        ("name", text("For the log.")), ("version", ["const": .integer(WireVersion.number)]),
        ("authentication", ["anyOf": [.reference(to: "schemas", "Authentication"), ["type": "null"]]]),
        ("push", ["type": "boolean"]),
      ], required: ["name", "version", "authentication", "push"]),
    "Authentication": object(
      [
        ("authority", text("The URL of the authority that gives tokens.")),
        ("resource", text("What the tokens are for.")), ("scopes", ["type": "array", "items": ["type": "string"]]),
        ("clientId", ["type": ["string", "null"]]),
      ], required: ["authority", "resource", "scopes"]),
    "Liveness": object([("status", ["const": "live"])], required: ["status"]),
    "Readiness": object(
      [
        ("status", ["enum": ["ready", "notReady"]]),
        ("store", described(["type": "boolean"], "Whether the store takes writes.")),
        (
          "certificateEnd",
          described(
            ["type": ["string", "null"], "format": "date-time"],
            "When the certificate of the service expires, after which it is not ready; null without one.")
        ),
        ("generation", ["type": ["integer", "null"]]),
        ("published", ["type": ["string", "null"], "format": "date-time"]),
        ("isCurrent", described(["type": "boolean"], "False if the tenant's source cannot be used at the moment.")),
        (
          "heldRemovals",
          described(
            ["type": "integer"],
            "How many users, policies, groups and the like the tenant keeps although its source no longer has them.")
        ),
        (
          "isMaintenanceHeld",
          described(
            ["type": "boolean"], "True if the clock may have jumped, so that nothing ends or is deleted for now.")
        ),
        ("clockAlarm", described(["type": ["string", "null"]], "When the clock last jumped; null for never.")),
        (
          "wipesHeldSince",
          described(
            ["type": ["string", "null"], "format": "date-time"], "When wipes were put on hold; null if they are not.")
        ),
      ], required: ["status", "store", "generation", "published", "isCurrent", "heldRemovals"]),
    "Problem": object(
      [
        (
          "error",
          object(
            [
              ("code", ["enum": .array(Problem.Code.allCases.map { .string($0.rawValue) })]),
              ("message", ["type": "string"]),
            ], required: ["code", "message"])
        ),
        ("hold", hold),
      ], required: ["error"]),
  ]

  private static let hold: JSONValue = [
    "anyOf": [.reference(to: "schemas", AnsweredHold.schemaName), ["type": "null"]]
  ]

  private static func object(_ members: [(String, JSONValue)], required: [String]) -> JSONValue {
    [
      "type": "object", "properties": .object(JSONObject(members)),
      "required": .array(required.map(JSONValue.string)),
    ]
  }

  private static func text(_ description: String) -> JSONValue { described(["type": "string"], description) }

  private static func described(_ schema: JSONObject, _ description: String) -> JSONValue {
    var schema = schema
    schema["description"] = .string(description)
    return .object(schema)
  }

  private static func graphObjects(_ description: String) -> JSONValue {
    described(["type": "array", "items": ["type": "object"]], description)
  }
}
