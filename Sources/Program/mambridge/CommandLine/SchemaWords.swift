import JSON

/// JSON Schema in words, for the help of a method.
struct SchemaWords {
  private static let mostValues = 40

  /// The schemas that others refer to, by name.
  let components: JSONObject

  /// For example `text`, `integer from 1 to 1000, or null` or `array of text`.
  func type(of schema: JSONValue) -> String {
    let schema = resolved(schema)
    if let alternatives = schema["anyOf"]?.arrayValue { return type(ofAny: alternatives) }
    if let values = schema["enum"]?.arrayValue { return oneOf(values) }
    switch schema["type"]?.stringValue {
    case "string": return textType(schema)
    case "integer", "number": return numberType(schema)
    case "boolean": return "true or false"
    case "null": return "null"
    case "array": return "array of \(schema["items"].map { type(of: $0) } ?? "values")"
    case "object": return objectType(schema)
    default: return "any JSON value"
    }
  }

  /// The named schema of texts that this schema, or an alternative of it, refers to, if it explains what a text means.
  func explanation(of schema: JSONValue) -> (name: String, text: String)? {
    let alternatives = [schema] + (schema["anyOf"]?.arrayValue ?? []) + (schema["allOf"]?.arrayValue ?? [])
    for reference in alternatives.compactMap({ $0["$ref"]?.stringValue }) {
      let target = resolved(["$ref": .string(reference)])
      guard target["type"] == "string", target["enum"] == nil, let text = target["description"]?.stringValue else {
        continue
      }
      return (reference, text)
    }
    return nil
  }

  /// The members of an object, of an object that may be null, or of the objects in an array.
  func members(of schema: JSONValue) -> [(name: String, schema: JSONValue)] {
    let schema = resolved(schema)
    if let properties = schema["properties"]?.objectValue { return properties.members.map { ($0.name, $0.value) } }
    if let items = schema["items"] { return members(of: items) }
    return (schema["anyOf"]?.arrayValue ?? []).lazy.map { members(of: $0) }.first { !$0.isEmpty } ?? []
  }

  func description(of schema: JSONValue) -> String {
    schema["description"]?.stringValue ?? resolved(schema)["description"]?.stringValue ?? ""
  }

  /// The schema itself, or those of which one must apply.
  func alternatives(of schema: JSONValue) -> [JSONValue] {
    let schema = resolved(schema)
    return schema["anyOf"]?.arrayValue?.flatMap { alternatives(of: $0) } ?? [schema]
  }

  /// The schema itself, or the one that it refers to.
  private func resolved(_ schema: JSONValue) -> JSONValue {
    if let reference = schema["$ref"]?.stringValue {
      return components[reference.split(separator: "/").last.map(String.init) ?? ""] ?? .null
    }
    if let only = schema["allOf"]?.arrayValue?.first { return resolved(only) }
    return schema
  }

  /// An enumeration of the SDK accepts names and the SDK's integers; only the names are listed.
  private func type(ofAny alternatives: [JSONValue]) -> String {
    let schemas = alternatives.map { resolved($0) }
    let hasNames = schemas.contains { $0["type"] == "string" && $0["enum"] != nil }
    let shown = schemas.filter { !(hasNames && $0["type"] == "integer") }
    let types = shown.map { type(of: $0) } + (shown.count < schemas.count ? ["the SDK's integer"] : [])
    let isNullable = types.contains("null")
    return types.filter { $0 != "null" }.joined(separator: ", or ") + (isNullable ? ", or null" : "")
  }

  private func oneOf(_ values: [JSONValue]) -> String {
    let texts = values.prefix(Self.mostValues).map { $0.stringValue ?? $0.jsonText }
    let more = values.count > texts.count ? " and \(values.count - texts.count) more" : ""
    return (texts.count == 1 ? "" : "one of ") + texts.joined(separator: ", ") + more
  }

  private func textType(_ schema: JSONValue) -> String {
    if schema["contentEncoding"] != nil { return "bytes as base64" }
    return switch schema["format"]?.stringValue {
    case "date-time": "time such as 2026-01-31T09:30:00Z"
    case "duration": "duration such as PT30M"
    case "uri": "address with a scheme"
    case "absolute-path": "absolute path"
    default: "text"
    }
  }

  private func numberType(_ schema: JSONValue) -> String {
    let kind = schema["type"]?.stringValue ?? "number"
    let (low, high) = (schema["minimum"]?.jsonText, schema["maximum"]?.integerValue)
    let limit = high.flatMap { $0 < 1 << 53 ? String($0) : nil }
    return switch (low, limit) {
    case (let low?, let high?): "\(kind) from \(low) to \(high)"
    case (let low?, nil): "\(kind) from \(low)"
    case (nil, let high?): "\(kind) up to \(high)"
    case (nil, nil): kind
    }
  }

  private func objectType(_ schema: JSONValue) -> String {
    let names = schema["properties"]?.objectValue?.names ?? []
    return names.isEmpty ? "object" : "object with \(names.joined(separator: ", "))"
  }
}
