import JSON
import Model

/// The bodies that administrators send, as JSON Schema.
enum GraphSchemas {
  static var all: JSONObject {
    var schemas: JSONObject = ["error": error, "object": ["type": "object"]]
    for list in PolicyList.allCases { schemas[list.typeName] = policy(list) }
    for (name, schema) in actions { schemas[name] = schema }
    for (name, schema) in parts { schemas[name] = schema }
    return schemas
  }

  /// Whether POST to a list with the name creates an element.
  static func creates(_ name: String) -> Bool {
    PolicyList(rawValue: name) != nil || [GraphCall.allPolicies, "users", "groups"].contains(name)
  }

  /// `nil` for a request without a body.
  static func body(of route: GraphRoute) -> JSONValue? {
    guard ["POST", "PATCH"].contains(route.method) else { return nil }
    let names = route.path.split(separator: "/").map(String.init).filter { $0 != "*" }
    let name = names.last ?? ""
    switch name {
    case GraphCall.allPolicies:
      return [
        "anyOf": .array(
          PolicyList.allCases.map { list in
            [
              "allOf": [reference(list.typeName)], "required": ["@odata.type", "displayName"],
              "properties": ["@odata.type": ["const": .string(list.type)]],
            ]
          })
      ]
    case "users", "groups":
      let isNew = route.method == "POST"
      let required: JSONValue = name == "users" ? ["userPrincipalName", "displayName"] : ["displayName"]
      return isNew ? ["allOf": [reference(String(name.dropLast()))], "required": required] : reference("user")
    case "$ref": return reference("reference")
    case "wipeManagedAppRegistrationByDeviceTag", "wipeManagedAppRegistrationsByDeviceTag": return reference("wipe")
    default:
      if let list = PolicyList(rawValue: name) {
        let type = reference(list.typeName)
        return route.method == "POST" ? ["allOf": [type], "required": ["displayName"]] : type
      }
      return actions.contains { $0.0 == name } ? reference(name) : nil
    }
  }

  private static func reference(_ name: String) -> JSONValue { .reference(to: "schemas", name) }

  private static func object(_ members: JSONObject, _ required: JSONValue = []) -> JSONValue {
    ["type": "object", "properties": .object(members), "required": required]
  }

  private static func list(_ name: String) -> JSONValue { ["type": "array", "items": reference(name)] }

  private static let text: JSONValue = ["type": "string"]

  private static let error = object(
    ["error": object(["code": text, "message": text, "innerError": ["type": "object"]], ["code", "message"])], ["error"]
  )

  /// By the name of the action.
  private static let actions: [(String, JSONValue)] = [
    ("assign", object(["assignments": list("assignment")], ["assignments"])),
    ("targetApps", object(["apps": list("app"), "appGroupType": text], ["apps"])),
    ("changeSettings", object(["settings": ["type": "array", "items": ["type": "object"]]], ["settings"])),
    (
      "assignLicense",
      object(
        [
          "addLicenses": ["type": "array", "items": ["type": "object"]],
          "removeLicenses": ["type": "array", "items": text],
        ], ["addLicenses", "removeLicenses"])
    ),
  ]

  private static let parts: [(String, JSONValue)] = [
    ("wipe", object(["deviceTag": text], ["deviceTag"])),
    ("reference", object(["@odata.id": text], ["@odata.id"])),
    (
      "user",
      object([
        "userPrincipalName": text, "displayName": text, "mail": ["type": ["string", "null"]],
        "accountEnabled": ["type": "boolean"],
      ])
    ),
    ("group", object(["displayName": ["type": "string", "minLength": 1, "maxLength": 64], "description": text])),
    (
      "batch",
      object(
        [
          "requests": [
            "type": "array", "minItems": 1, "maxItems": .integer(Int64(GraphCall.largestBatch)),
            "items": object(
              [
                "id": ["type": ["string", "integer"]], "method": ["enum": ["GET", "POST", "PATCH", "DELETE"]],
                "url": text, "headers": ["type": "object"], "body": [:],
              ], ["id", "method", "url"]),
          ]
        ], ["requests"])
    ),
    (
      "assignment",
      object(
        [
          "target": object(
            [
              "@odata.type": [
                "enum": [
                  "#microsoft.graph.groupAssignmentTarget", "#microsoft.graph.exclusionGroupAssignmentTarget",
                ]
              ],
              "groupId": ["type": "string", "minLength": 1],
              GraphTargets.filterMember + "Id": ["type": ["string", "null"]],
              GraphTargets.filterMember + "Type": ["enum": ["none", "include", "exclude", .null]],
            ], ["@odata.type", "groupId"])
        ], ["target"])
    ),
    (
      "app",
      object(
        [
          "mobileAppIdentifier": [
            "anyOf": .array(
              GraphTargets.Platform.all.map { platform in
                object(
                  ["@odata.type": ["const": .string(platform.type)], platform.member: ["type": "string"]],
                  ["@odata.type", .string(platform.member)])
              })
          ]
        ], ["mobileAppIdentifier"])
    ),
  ]

  private static func policy(_ list: PolicyList) -> JSONValue {
    var members: JSONObject = ["@odata.type": ["const": .string(list.type)]]
    for member in GraphPolicyType[list].members { members[member.name] = schema(of: member) }
    return object(members)
  }

  private static func schema(of member: GraphPolicyType.Member) -> JSONValue {
    switch member.type {
    case .flag: ["type": ["boolean", "null"]]
    case .integer(let range):
      ["type": ["integer", "null"], "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound)]
    case .duration: ["type": ["string", "null"], "format": "duration"]
    case .text, .flags(_, mayBeList: false): ["type": ["string", "null"]]
    case .version: ["type": ["string", "null"], "pattern": "^[0-9]{1,4}([.-][0-9]{1,4}){0,3}$"]
    case .word(let words): ["enum": .array(words.map(JSONValue.string) + [.null])]
    case .flags(_, mayBeList: true): ["type": ["string", "array", "null"], "items": text]
    case .words(let words): ["type": ["array", "null"], "items": ["enum": .array(words.map(JSONValue.string))]]
    case .texts: ["type": ["array", "null"], "items": text]
    case .pairs: ["type": ["array", "null"], "items": object(["name": text, "value": text], ["name", "value"])]
    case .readOnly: ["readOnly": true]
    case .navigation where member.name == "apps": list("app")
    case .navigation where member.name == "assignments": list("assignment")
    case .navigation: ["readOnly": true]
    }
  }
}
