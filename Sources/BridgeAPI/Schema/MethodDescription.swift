import JSON

/// A method as the OpenRPC document shows it.
struct MethodDescription {
  let json: JSONValue

  init<M: Method>(_ method: M.Type, in components: inout SchemaComponents) {
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

  /// Only parameters whose value is not their default, as a host would write it.
  private static func example<M: Method>(of method: M.Type) -> JSONValue {
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
