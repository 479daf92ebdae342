import JSON

/// A request to a host as the document shows it under x-delegates: a method that the host answers.
struct HostRequestDescription {
  let json: JSONValue

  init<R: HostRequest>(_ request: R.Type, in components: inout SchemaComponents) {
    var object = MethodDescription(request, in: &components).json.objectValue ?? [:]
    object["paramStructure"] = "by-name"
    object["errors"] = .array(R.errors.map(\.json))
    object["x-default"] = .string(R.defaultOutcome)
    json = .object(object)
  }
}
