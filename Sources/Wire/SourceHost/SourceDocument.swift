import JSON

/// The OpenRPC document of the protocol that sources speak: schema/source.openrpc.json.
package enum SourceDocument {
  package static func document(serverVersion: String) -> JSONObject {
    [
      "openrpc": "1.4.0",
      "info": ["title": "mambridge source", "version": .string(serverVersion), "description": .string(text)],
      "methods": .array(toSource),
      "x-requests-of-the-source": .array(toBridge),
      "components": ["schemas": .object(schemas)],
      "x-errors": [
        "-32050": """
        signInNeeded: the source wants a token, or refused it, or the user must sign in; data.claims is what the service \
        wants in the token, if it has said so
        """,
        "-32051": "unreachable: the source cannot reach its service; data.retryAfter is the wait in seconds, if known",
        "-32052": "disabled: the service is switched off for the tenant",
        "-32053": "signInCanceled: the user canceled the sign-in of the source",
        "-32054": "gone: the source no longer knows the registration",
      ],
    ]
  }

  private static let text = """
    The requests that mambridge sends to a policy source: a program that --tenant names with exec:COMMAND. The program \
    reads them from its standard input and writes the answers to its standard output, one message per line, or with the \
    headers of LSP. Lines on its standard error go into the diagnostics log. A request that nobody waits for any longer \
    is cancelled with $/cancelRequest. x-requests-of-the-source lists what a source may send by itself. docs/sources.md \
    is the guide.
    """

  private static let toSource: [JSONValue] = [
    method(
      "source.open", "Begin the conversation. Always the first request.",
      [("protocolVersion", ["type": "integer"]), ("locale", text("The user's language, in BCP 47."))],
      result: reference("Introduction")),
    method(
      "source.checkIn", "Deliver what applies to an account in this app.",
      [
        ("reason", ["enum": ["enroll", "checkIn"], "description": "checkIn for an enrolled account."]),
        ("registration", reference("Registration")), ("account", reference("Account")), ("app", reference("App")),
        ("device", reference("Device")), ("etag", optional(text("What the last answer had; null for everything."))),
        ("applied", ["type": "array", "items": reference("Applied")]), ("health", ["type": "array"]),
        ("token", text("The user's token. Absent if there is none.")),
      ], optional: ["token"], result: reference("Answer")),
    method(
      "source.report",
      "Note that an operation is carried out. Sent until it is accepted. A source that returned failures from "
        + "source.open also gets each attempt that failed, once; mambridge then tries the operation again.",
      [
        ("registration", reference("Registration")), ("operation", text("The id of the operation.")),
        ("outcome", ["enum": ["done", "failed"]]), ("time", text("When, in RFC 3339.")),
        ("reason", text("With failed: why, without names of files and users.")),
      ], optional: ["reason"], result: ["type": "null"]),
    method(
      "source.watch",
      "Send source.didChange when something changes for these registrations, until the next source.watch. Sent only to a "
        + "source that can push, by one process of an app on a state folder, after source.open and whenever the list "
        + "changes.",
      [("registrations", ["type": "array", "items": reference("Registration")])], result: ["type": "null"]),
    method(
      "source.acquireToken",
      "Get a token for an account. Sent only to a source that can sign in, if neither a host nor the token command gives "
        + "tokens: silently first, and then with the user if a person waits for the call.",
      [
        ("account", reference("Account")),
        (
          "silent",
          [
            "type": "boolean",
            "description": "Whether the user must not be asked: answer with error -32050 if a user must sign in.",
          ]
        ), ("claims", text("The data.claims of the refusal of the last token. Absent if there are none.")),
      ], optional: ["claims"], result: reference("Token")),
    method(
      "source.leave", "Forget a registration: the account is no longer enrolled. Sent until it is accepted.",
      [("registration", reference("Registration"))], result: ["type": "null"]),
  ]

  private static let toBridge: [JSONValue] = [
    method(
      "source.prompt",
      "Ask the user to sign in on a page. Sent only while source.acquireToken runs with silent false. Answered at once.",
      [
        ("verificationUri", text("The page, http or https.")), ("userCode", text("The code to enter there.")),
        ("message", text("For the user, in the user's language.")),
        ("expires", text("When the code expires, in RFC 3339. 15 minutes from now if absent; an hour at most.")),
      ], optional: ["userCode", "message", "expires"], result: ["type": "null"]),
    method(
      "source.didChange", "A notification: let an account check in, or all accounts.",
      [
        ("account", optional(reference("Account"))),
        ("spread", ["type": "number", "description": "Check in within so many seconds; 0 for at once."]),
      ], optional: ["account", "spread"], result: nil),
  ]

  private static let absence = "If absent, what was said last stays."

  private static let schemas: JSONObject = [
    "Introduction": object(
      [
        ("name", text("For the log.")), ("protocolVersion", ["type": "integer"]),
        ("authentication", optional(reference("Authentication"))),
        (
          "push",
          ["type": "boolean", "description": "Whether the source sends source.didChange; see source.watch."]
        ), ("signIn", ["type": "boolean", "description": "Whether the source answers source.acquireToken."]),
        (
          "failures",
          ["type": "boolean", "description": "Whether the source takes source.report with the outcome failed."]
        ),
      ], optional: ["name", "authentication", "push", "signIn", "failures"]),
    "Token": object(
      [
        ("accessToken", text("Kept in memory until five minutes before it expires, and sent with source.checkIn.")),
        ("expires", text("In RFC 3339. If absent, the token serves one check-in.")),
      ], optional: ["expires"]),
    "Authentication": object(
      [
        ("authority", text("The URL of the authority that gives tokens.")),
        ("resource", text("What the tokens are for.")),
        ("scopes", ["type": "array", "items": ["type": "string"]]),
        ("clientId", text("If the app's own does not apply.")),
        ("redirectUri", text("Not used yet.")),
      ], optional: ["resource", "clientId", "redirectUri"]),
    "Registration": object([
      ("id", text("A UUID that mambridge makes before its first request, and again when an account enrolls again.")),
      ("secret", text("32 bytes in base64. Whoever knows it may be told of wipes, report, and leave.")),
    ]),
    "Account": object([
      ("accountId", optional(text("The object id; null until the source has said it."))),
      ("identity", optional(text("The user principal name, for display; it may change."))),
    ]),
    "App": object([
      ("id", text("The bundle or package id.")), ("version", optional(text(""))), ("sdkVersion", text("")),
    ]),
    "Device": object(
      [
        ("tag", text("A UUID, the same for all apps of a state folder.")), ("name", text("The name of the machine.")),
        ("platform", ["enum": ["ios", "android", "windows"]]), ("osVersion", optional(text(""))),
        ("manufacturer", optional(text(""))), ("model", optional(text(""))), ("jailbroken", ["type": "boolean"]),
        ("managementType", text("How the device is managed, for assignment filters; absent if not reported.")),
      ], optional: ["managementType"]),
    "Applied": object([("id", text("The id of a policy in force.")), ("version", optional(text("")))]),
    "Answer": object(
      [
        (
          "outcome",
          [
            "enum": ["delivered", "notModified", "userUnknown", "userDisabled", "userDeleted", "notLicensed"],
            "description": """
            notModified only if the request had an etag. userUnknown says that the source does not list the user: the \
            last policy stays, and nothing is wiped. userDisabled and userDeleted say that the user may no longer sign \
            in, for which the policy may require a wipe.
            """,
          ]
        ),
        ("user", reference("User")), ("etag", text("Names all that is delivered, except the operations.")),
        ("nextCheckIn", ["type": "number", "description": "In seconds, from 60 to 86400."]),
        (
          "policies",
          graphObjects(
            "The protection policies that apply, as Graph writes them. An answer that delivers has them, if only [].")
        ),
        ("hiddenDefaults", graphObjects("The default policies that a targeted policy hides. \(absence)")),
        ("configurations", graphObjects("The app configurations that apply. \(absence)")),
        (
          "allowedAccounts",
          optional([
            "type": "array", "items": ["type": "string"],
            "description": .string("The only accounts that the app may have; null for all. \(absence)"),
          ])
        ), ("certificatePins", ["type": "object", "description": .string("As in tenant.json. \(absence)")]),
        ("mdm", optional(["type": "object", "description": .string("As in tenant.json. \(absence)")])),
        (
          "unknownRestrictions",
          optional([
            "enum": ["report", "block"],
            "description": .string(
              "block if accounts are blocked whose policies set what mambridge does not know. \(absence)"),
          ])
        ),
        (
          "operations",
          [
            "type": "array", "items": reference("Operation"),
            "description": "The wipes that are ordered. If absent, a user who is blocked stays blocked.",
          ]
        ),
      ],
      optional: [
        "user", "etag", "nextCheckIn", "policies", "hiddenDefaults", "configurations", "allowedAccounts",
        "certificatePins", "mdm", "unknownRestrictions", "operations",
      ]),
    "User": object(
      [
        ("id", text("The object id, a GUID.")), ("tenantId", text("A GUID.")), ("userPrincipalName", text("")),
        ("displayName", text("")), ("mail", optional(text(""))),
        ("clock", optional(["type": "object", "description": "As in tenant.json."])),
      ], optional: ["displayName", "mail", "clock"]),
    "Operation": object([
      ("id", text("Names the operation; carried out once for each id.")), ("type", ["enum": ["wipe", "wipeAndBlock"]]),
    ]),
  ]

  private static func method(
    _ name: String, _ summary: String, _ params: [(String, JSONValue)], optional: [String] = [], result: JSONValue?
  ) -> JSONValue {
    var object: JSONObject = [
      "name": .string(name), "summary": .string(summary), "paramStructure": "by-name",
      "params": .array(
        params.map { name, schema in
          ["name": .string(name), "required": .bool(!optional.contains(name)), "schema": schema]
        }),
    ]
    if let result { object["result"] = ["name": "result", "schema": result] }
    return .object(object)
  }

  private static func object(_ members: [(String, JSONValue)], optional: [String] = []) -> JSONValue {
    let required = members.map(\.0).filter { !optional.contains($0) }
    return [
      "type": "object", "properties": .object(JSONObject(members)),
      "required": .array(required.map(JSONValue.string)),
    ]
  }

  private static func text(_ description: String) -> JSONValue {
    description.isEmpty ? ["type": "string"] : ["type": "string", "description": .string(description)]
  }

  private static func graphObjects(_ description: String) -> JSONValue {
    ["type": "array", "items": ["type": "object"], "description": .string(description)]
  }

  private static func optional(_ schema: JSONValue) -> JSONValue { ["anyOf": [schema, ["type": "null"]]] }

  private static func reference(_ name: String) -> JSONValue { ["$ref": .string("#/components/schemas/\(name)")] }
}
