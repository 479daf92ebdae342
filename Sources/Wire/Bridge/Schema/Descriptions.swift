import JSON

/// A method as the OpenRPC document shows it.
struct MethodDescription {
  let json: JSONValue

  init<M: Method>(_ method: M.Type, in components: inout DocumentComponents) {
    let fields = components.schemas.input { M.Params.fields.describe(in: &$0) }
    var object = Self.object(method, fields, M.Result.schema(in: &components.schemas), in: &components)
    if M.self is any SandboxMethod.Type {
      let text = [M.details, "Only a server of `mambridge sandbox` has this method."].filter { !$0.isEmpty }
      object["description"] = .string(text.joined(separator: " "))
      object["x-sandbox"] = true
    }
    json = .object(object)
  }

  /// What methods and requests to a host have in common.
  fileprivate static func object<R: Request>(
    _ request: R.Type, _ fields: [FieldDescription], _ result: JSONValue, in components: inout DocumentComponents
  ) -> JSONObject {
    var object: JSONObject = ["name": .string(R.name), "tags": components.tags(of: R.name)]
    object["summary"] = .string(R.summary)
    if !R.details.isEmpty { object["description"] = .string(R.details) }
    object["paramStructure"] = "either"
    object["params"] = .array(fields.map(\.contentDescriptor))
    object["result"] = ["name": "result", "summary": .string(R.resultSummary), "schema": result]
    object["errors"] = components.references(to: R.allErrors)
    object["examples"] = [example(of: R.self)]
    if !R.sdkMembers.isEmpty { object["x-sdk-members"] = .array(R.sdkMembers.map(JSONValue.string)) }
    return object
  }

  /// Lists only parameters that differ from their default, as a host would write them.
  private static func example<M: Request>(of method: M.Type) -> JSONValue {
    var components = SchemaComponents()
    let fields = M.Params.fields.describe(in: &components)
    let given = M.example.params.jsonValue.objectValue ?? [:]
    let params = fields.compactMap { field -> JSONValue? in
      guard let value = given[field.name], field.isRequired || !(value.isNull || value == field.defaultValue) else {
        return nil
      }
      return ["name": .string(field.name), "value": value]
    }
    return [
      "name": .string(M.name), "params": .array(params),
      "result": ["name": "result", "value": M.example.result.jsonValue],
    ]
  }
}

/// A request to a host as the document shows it under x-delegates: a method that the host answers.
struct HostRequestDescription {
  let json: JSONValue

  init<R: HostRequest>(_ request: R.Type, in components: inout DocumentComponents) {
    let fields = R.Params.fields.describe(in: &components.schemas)
    let result = components.schemas.input { R.Result.schema(in: &$0) }
    var object = MethodDescription.object(request, fields, result, in: &components)
    object["paramStructure"] = "by-name"
    object["x-default"] = .string(R.defaultOutcome)
    json = .object(object)
  }
}

/// A notification as the document shows it under x-events: a method without a result.
struct NotificationDescription {
  let json: JSONValue

  init<N: Notification>(_ notification: N.Type, in components: inout DocumentComponents) {
    let fields = N.Params.fields.describe(in: &components.schemas)
    let example = N.example.jsonValue.objectValue?.members ?? []
    var object: JSONObject = ["name": .string(N.name), "tags": components.tags(of: N.name)]
    object["summary"] = .string(N.summary)
    if !N.details.isEmpty { object["description"] = .string(N.details) }
    object["paramStructure"] = "by-name"
    object["params"] = .array(fields.map(\.contentDescriptor))
    object["examples"] = [
      [
        "name": .string(N.name),
        "params": .array(example.map { ["name": .string($0.name), "value": $0.value] }),
      ]
    ]
    if !N.sdkMembers.isEmpty { object["x-sdk-members"] = .array(N.sdkMembers.map(JSONValue.string)) }
    json = .object(object)
  }
}

extension FieldDescription {
  var contentDescriptor: JSONValue {
    var schema = schema
    if let defaultValue {
      var object = documentedSchema.objectValue ?? [:]
      object["description"] = nil
      object["deprecated"] = nil
      object["default"] = defaultValue
      schema = .object(object)
    }
    var descriptor: JSONObject = [
      "name": .string(name), "summary": .string(summary), "required": .bool(isRequired), "schema": schema,
    ]
    if isDeprecated { descriptor["deprecated"] = true }
    if let formerName { descriptor["x-former-name"] = .string(formerName) }
    return .object(descriptor)
  }
}
