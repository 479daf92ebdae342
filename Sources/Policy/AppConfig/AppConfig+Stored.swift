import JSON
import Model

extension AppConfig {
  /// JSON text for the store.
  package var encoded: String {
    let list = sources.map { source -> JSONValue in
      let entries = source.entries.map { entry -> JSONValue in
        ["name": .string(entry.name), "value": .string(entry.value)]
      }
      return ["policyId": .string(source.policyID), "isDefault": .bool(source.isDefault), "entries": .array(entries)]
    }
    return JSONValue.array(list).jsonText
  }

  package init(stored text: String) throws(StoredTextError) {
    let value: JSONValue
    do { value = try JSONValue(parsing: text) } catch { throw StoredTextError(reason: error.description) }
    let sources = value.arrayValue?.compactMap(Source.init(json:))
    guard let sources, sources.count == value.arrayValue?.count else {
      throw StoredTextError(reason: "no app configuration")
    }
    self.init(sources: sources)
  }
}

extension AppConfig.Source {
  fileprivate init?(json value: JSONValue) {
    guard let id = value["policyId"]?.stringValue, let isDefault = value["isDefault"]?.boolValue,
      let entries = value["entries"].flatMap(KeyValuePair.list(json:))
    else { return nil }
    self.init(policyID: id, isDefault: isDefault, entries: entries)
  }
}
