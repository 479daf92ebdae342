import Bridge
import JSON

/// Which parameters of a method are text on the command line, and which are JSON.
struct ParameterForms {
  private enum Form { case text, textOrInteger, json }

  private var forms: [String: Form] = [:]

  /// For a method that is not in the schema: a value is JSON if it parses, and text otherwise.
  init() {}

  init<M: Method>(_ method: M.Type) {
    var components = SchemaComponents()
    for field in M.Params.fields.describe(in: &components) {
      forms[field.name] = Self.form(of: field.schema, in: components.schemas)
    }
  }

  func value(_ text: String, for name: String) throws -> JSONValue {
    switch forms[name] {
    case .text: return .string(text)
    case .textOrInteger: return Int64(text).map(JSONValue.integer) ?? .string(text)
    case nil: return (try? JSONValue(parsing: text)) ?? .string(text)
    case .json:
      do {
        return try JSONValue(parsing: text)
      } catch {
        throw CommandFailure(exitCode: 64, message: "\(name) must be JSON: \(error.message)")
      }
    }
  }

  private static func form(of schema: JSONValue, in components: [String: JSONValue]) -> Form {
    let types = types(of: schema, in: components)
    guard types.contains("string") else { return .json }
    return types.contains("integer") ? .textOrInteger : .text
  }

  private static func types(of schema: JSONValue, in components: [String: JSONValue]) -> Set<String> {
    if let reference = schema["$ref"]?.stringValue {
      let name = reference.split(separator: "/").last.map(String.init) ?? ""
      return components[name].map { types(of: $0, in: components) } ?? []
    }
    let alternatives = (schema["anyOf"]?.arrayValue ?? []) + (schema["allOf"]?.arrayValue ?? [])
    return alternatives.reduce(into: Set(schema["type"]?.stringValue.map { [$0] } ?? [])) {
      $0.formUnion(types(of: $1, in: components))
    }
  }
}
