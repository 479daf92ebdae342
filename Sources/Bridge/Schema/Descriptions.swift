import JSON

/// A method as the OpenRPC document shows it.
struct MethodDescription {
  let json: JSONValue

  init<M: Request>(_ method: M.Type, in components: inout SchemaComponents) {
    let fields = M.Params.fields.describe(in: &components)
    var object: JSONObject = ["name": .string(M.name), "summary": .string(M.summary)]
    if !M.details.isEmpty { object["description"] = .string(M.details) }
    object["paramStructure"] = "either"
    object["params"] = .array(fields.map(\.contentDescriptor))
    object["result"] = [
      "name": "result", "summary": .string(M.resultSummary), "schema": M.Result.schema(in: &components),
    ]
    object["errors"] = .array(M.allErrors.map(\.json))
    object["examples"] = [Self.example(of: M.self)]
    if !M.sdkMembers.isEmpty { object["x-sdk-members"] = .array(M.sdkMembers.map(JSONValue.string)) }
    json = .object(object)
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

  init<R: HostRequest>(_ request: R.Type, in components: inout SchemaComponents) {
    var object = MethodDescription(request, in: &components).json.objectValue ?? [:]
    object["paramStructure"] = "by-name"
    object["x-default"] = .string(R.defaultOutcome)
    json = .object(object)
  }
}

/// A notification as the document shows it under x-events: a method without a result.
struct NotificationDescription {
  let json: JSONValue

  init<N: Notification>(_ notification: N.Type, in components: inout SchemaComponents) {
    let fields = N.Params.fields.describe(in: &components)
    let example = N.example.jsonValue.objectValue?.members ?? []
    var object: JSONObject = ["name": .string(N.name), "summary": .string(N.summary)]
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
      object["default"] = defaultValue
      schema = .object(object)
    }
    return [
      "name": .string(name), "summary": .string(summary), "required": .bool(isRequired), "schema": schema,
    ]
  }
}
