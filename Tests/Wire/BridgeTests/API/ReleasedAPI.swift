import JSON

/// What a host may rely on once it was released: methods, events, requests to hosts, their parameters, members, the words
/// of enumerations, error codes and limits.
enum ReleasedAPI {
  /// What `new` lacks of `old` or demands beyond it, one line each.
  static func losses(from old: JSONValue, to new: JSONValue) -> [String] {
    let kept = Set(promises(of: new))
    return promises(of: old).filter { !kept.contains($0) } + demands(of: new, beyond: old)
  }

  /// Parameters that the methods of `old` now need, and did not.
  private static func demands(of new: JSONValue, beyond old: JSONValue) -> [String] {
    let known = Set((old["methods"]?.arrayValue ?? []).map { name($0, "name") })
    let former = Set(required(old))
    return required(new, of: known).filter { !former.contains($0) }
  }

  private static func required(_ document: JSONValue, of known: Set<String>? = nil) -> [String] {
    let methods = (document["methods"]?.arrayValue ?? []).filter { known?.contains(name($0, "name")) ?? true }
    return methods.flatMap { method in
      let params = (method["params"]?.arrayValue ?? []).enumerated().filter { $0.element["required"] == true }
      return params.map { "method \(name(method, "name")): parameter \($0.offset) is required" }
    }
  }

  private static func promises(of document: JSONValue) -> [String] {
    let methods = ["methods", "x-events", "x-delegates"].flatMap { document[$0]?.arrayValue ?? [] }
    let schemas = document["components"]?["schemas"]?.objectValue?.members ?? []
    let errors = document["components"]?["errors"]?.objectValue?.members ?? []
    let transport = document["x-errors"]?.arrayValue ?? []
    let limits = (document["x-limits"]?.objectValue?.members ?? []).map { "limit \($0.name)" }
    let session = (document["x-session"]?.objectValue?.members ?? []).flatMap { part in
      (part.value.arrayValue ?? []).map { "session \(part.name): \(name($0, "name"))" }
    }
    return limits + session + methods.flatMap(promises(ofMethod:))
      + schemas.flatMap { promises(ofSchema: $0.value, "schema \($0.name)") }
      + errors.map { "error \($0.name): \(name($0.value, "code"))" } + transport.map { "any error \(name($0, "$ref"))" }
  }

  private static func promises(ofMethod method: JSONValue) -> [String] {
    let title = "method \(name(method, "name"))"
    let params = (method["params"]?.arrayValue ?? []).enumerated().flatMap { index, param in
      [param["name"], param["x-former-name"]].compactMap { $0?.stringValue }
        .map { "\(title): parameter \(index) \($0)" }
    }
    let errors = (method["errors"]?.arrayValue ?? []).map { "\(title): \(name($0, "$ref"))" }
    return [title] + params + errors + promises(ofSchema: method["result"]?["schema"] ?? .null, "\(title): result")
  }

  /// Members and the words of enumerations, wherever they stand.
  private static func promises(ofSchema schema: JSONValue, _ title: String) -> [String] {
    let members = schema["properties"]?.objectValue?.members ?? []
    let words = (schema["enum"]?.arrayValue ?? []).map { "\(title): value \($0.jsonText)" }
    let parts = (schema["anyOf"]?.arrayValue ?? []) + [schema["items"]].compactMap { $0 }
    return words + members.flatMap { ["\(title).\($0.name)"] + promises(ofSchema: $0.value, "\(title).\($0.name)") }
      + parts.flatMap { promises(ofSchema: $0, title) }
  }

  private static func name(_ object: JSONValue, _ member: String) -> String {
    object[member].map { $0.stringValue ?? $0.jsonText } ?? "without a name"
  }
}
