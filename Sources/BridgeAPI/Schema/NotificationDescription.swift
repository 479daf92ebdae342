import JSON

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
