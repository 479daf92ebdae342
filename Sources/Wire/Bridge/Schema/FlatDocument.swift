import JSON

/// Rewrites a document for tools that follow references only to records and enumerations, and that make classes of them.
///
/// Errors and tags are written where they are used, and so are schemas of other kinds. A parameter that takes the SDK's
/// integers beside names takes only names. Left out is what is deprecated, and members whose names are no identifiers.
package struct FlatDocument {
  private let schemas: JSONValue
  private let components: JSONValue

  /// The rewritten document, or item of a document with its components.
  package static func flattened(_ document: JSONObject) -> JSONObject {
    let components = document["components"] ?? [:]
    return FlatDocument(schemas: components["schemas"] ?? [:], components: components).rewritten(document)
  }

  private func rewritten(_ document: JSONObject) -> JSONObject {
    var document = item(document)
    for list in ["methods", "x-events", "x-delegates"] {
      document[list] = document[list]?.mapped { .object(item($0.objectValue ?? [:])) }
    }
    document["x-errors"] = document["x-errors"]?.mapped(resolved)
    let classes = (schemas.objectValue ?? [:]).members.filter { $0.value.isClass }
    document["components"] = ["schemas": .object(JSONObject(classes.map { ($0.name, schema($0.value)) }))]
    return document
  }

  /// A method, an event or a request to a host.
  private func item(_ item: JSONObject) -> JSONObject {
    var item = item
    let params = item["params"]?.arrayValue?.filter { $0["deprecated"] != true }
    item["params"] = params.map { .array($0.map(described)) }
    item["result"] = item["result"].map(described)
    item["errors"] = item["errors"]?.mapped(resolved)
    item["tags"] = item["tags"]?.mapped(resolved)
    item["examples"] = item["examples"]?.mapped { example in
      example.replacing("params") { values in
        .array((values.arrayValue ?? []).filter { value in params?.contains { $0["name"] == value["name"] } ?? false })
      }
    }
    return item
  }

  /// A content descriptor.
  private func described(_ value: JSONValue) -> JSONValue { value.replacing("schema", schema) }

  private func schema(_ schema: JSONValue) -> JSONValue {
    if schema["$ref"] != nil {
      let target = resolved(schema)
      guard !target.isClass else { return schema }
      return self.schema(target["anyOf"]?.arrayValue?.first ?? target)
    }
    return members(schema).replacing("anyOf") { $0.mapped(self.schema) }.replacing("allOf") { $0.mapped(self.schema) }
      .replacing("items", self.schema).replacing("propertyNames") { _ in nil }
      .replacing("additionalProperties") { $0.objectValue == nil ? $0 : self.schema($0) }
  }

  private func members(_ record: JSONValue) -> JSONValue {
    guard let properties = record["properties"]?.objectValue else { return record }
    let kept = properties.members.filter { $0.name.isIdentifier && $0.value["deprecated"] != true }
    let names = Set(kept.map(\.name))
    return record.replacing("properties") { _ in .object(JSONObject(kept.map { ($0.name, schema($0.value)) })) }
      .replacing("required") { .array(($0.strings ?? []).filter(names.contains).map(JSONValue.string)) }
  }

  /// What a reference leads to.
  private func resolved(_ reference: JSONValue) -> JSONValue {
    let path = reference["$ref"]?.stringValue?.split(separator: "/").suffix(2).map(String.init) ?? []
    return path.reduce(components) { $0[$1] ?? .null }
  }
}

extension JSONValue {
  /// Whether tools make a class of this schema: a record, or an enumeration of names or numbers.
  fileprivate var isClass: Bool {
    self["properties"] != nil || self["enum"]?.arrayValue.map { !$0.contains(.null) } ?? false
  }

  /// The array with other elements.
  fileprivate func mapped(_ change: (JSONValue) -> JSONValue) -> JSONValue {
    .array((arrayValue ?? []).map(change))
  }

  /// The object with another value for a member that it has; without the member if the value is `nil`.
  fileprivate func replacing(_ name: String, _ change: (JSONValue) -> JSONValue?) -> JSONValue {
    guard var object = objectValue, let value = object[name] else { return self }
    object[name] = change(value)
    return .object(object)
  }
}

extension String {
  fileprivate var isIdentifier: Bool {
    !isEmpty && utf8.allSatisfy { $0.isLetter || $0 == UInt8(ascii: "_") }
  }
}
