import JSON

/// The part of JSON Schema (draft 7) that the server's document uses; a keyword it does not know is a fault.
package struct SchemaCheck {
  private let components: JSONObject

  /// `components` are the named schemas that `$ref` speaks of.
  package init(components: JSONObject = [:]) {
    self.components = components
  }

  /// What does not fit, each with its place; empty when all does.
  package func faults(of value: JSONValue, _ schema: JSONValue, at path: String = "") -> [String] {
    guard let keywords = schema.objectValue else { return ["\(path): the schema is no object"] }
    return keywords.members.flatMap { fault(value, $0.name, $0.value, in: schema, path) }
  }

  private func fault(
    _ value: JSONValue, _ keyword: String, _ rule: JSONValue, in schema: JSONValue, _ path: String
  ) -> [String] {
    switch keyword {
    case "title", "description", "default", "format", "contentEncoding", "deprecated": []
    case "$ref": faults(of: value, resolve(rule), at: path)
    case "type": hasType(value, rule.stringValue ?? "") ? [] : ["\(path): is no \(rule.jsonText)"]
    case "enum": rule.arrayValue?.contains(value) == true ? [] : ["\(path): is none of \(rule.jsonText)"]
    case "minimum": (value.numberValue ?? 0) >= (rule.numberValue ?? 0) ? [] : ["\(path): is too small"]
    case "maximum": (value.numberValue ?? 0) <= (rule.numberValue ?? 0) ? [] : ["\(path): is too great"]
    case "anyOf": anyOf(value, rule.arrayValue ?? [], path)
    case "allOf": (rule.arrayValue ?? []).flatMap { faults(of: value, $0, at: path) }
    case "maxItems":
      (value.arrayValue?.count ?? 0) <= (rule.integerValue ?? 0) ? [] : ["\(path): has too many elements"]
    case "items": elements(value, rule, path)
    case "required": missing(value, rule, path)
    case "properties": members(value, rule, path)
    case "propertyNames":
      (value.objectValue?.names ?? []).flatMap { faults(of: .string($0), rule, at: "\(path)/\($0)") }
    case "pattern": matches(value, rule) ? [] : ["\(path): does not match \(rule.jsonText)"]
    case "additionalProperties": others(value, rule, schema["properties"]?.objectValue?.names ?? [], path)
    default: ["\(path): the keyword \(keyword) is not known to this check"]
    }
  }

  private func resolve(_ reference: JSONValue) -> JSONValue {
    let name = reference.stringValue?.split(separator: "/").last.map(String.init) ?? ""
    return components[name] ?? .null
  }

  private func hasType(_ value: JSONValue, _ type: String) -> Bool {
    value.kind == type || (type == "number" && value.kind == "integer")
  }

  private func matches(_ value: JSONValue, _ pattern: JSONValue) -> Bool {
    guard let text = value.stringValue, let regex = try? Regex(pattern.stringValue ?? "") else { return false }
    return text.contains(regex)
  }

  private func anyOf(_ value: JSONValue, _ schemas: [JSONValue], _ path: String) -> [String] {
    let attempts = schemas.map { faults(of: value, $0, at: path) }
    return attempts.contains { $0.isEmpty } ? [] : attempts.flatMap { $0 }
  }

  private func elements(_ value: JSONValue, _ schema: JSONValue, _ path: String) -> [String] {
    (value.arrayValue ?? []).enumerated().flatMap { faults(of: $1, schema, at: "\(path)/\($0)") }
  }

  private func missing(_ value: JSONValue, _ names: JSONValue, _ path: String) -> [String] {
    guard let object = value.objectValue else { return [] }
    return (names.arrayValue ?? []).compactMap(\.stringValue).filter { object[$0] == nil }.map {
      "\(path)/\($0): is missing"
    }
  }

  private func members(_ value: JSONValue, _ schemas: JSONValue, _ path: String) -> [String] {
    (value.objectValue?.members ?? []).flatMap { member in
      schemas[member.name].map { faults(of: member.value, $0, at: "\(path)/\(member.name)") } ?? []
    }
  }

  private func others(_ value: JSONValue, _ rule: JSONValue, _ known: [String], _ path: String) -> [String] {
    (value.objectValue?.members ?? []).filter { !known.contains($0.name) }.flatMap { member in
      rule == false
        ? ["\(path)/\(member.name): is not known"] : faults(of: member.value, rule, at: "\(path)/\(member.name)")
    }
  }
}
