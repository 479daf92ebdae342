import Bridge
import JSON
import Support

/// How the parameters of a method are written on the command line: as text, or as JSON.
struct ParameterForms {
  private enum Form { case text, textOrInteger, bytes, secret, json }

  private var forms: [String: Form] = [:]
  /// The names of parameters that are only true or false.
  private var flags: Set<String> = []

  /// For a method that is not in the schema: a value is JSON if it parses, and text otherwise.
  init() {}

  init<M: Method>(_ method: M.Type) {
    var components = SchemaComponents()
    for field in components.input({ M.Params.fields.describe(in: &$0) }) {
      forms[field.name] = field.isSecret ? .secret : Self.form(of: field.schema, in: components.schemas)
      let schemas = Self.alternatives(of: field.schema, in: components.schemas)
      if Self.types(in: schemas).subtracting(["null"]) == ["boolean"] {
        flags.insert(field.name)
      }
    }
  }

  func hasParameter(_ name: String) -> Bool { forms[name] != nil }

  func value(_ text: String, for name: String) throws -> JSONValue {
    switch forms[name] {
    case .text, .bytes, .secret: return .string(text)
    case .textOrInteger: return Int64(text).map(JSONValue.integer) ?? .string(text)
    case nil: return (try? JSONValue(parsing: text)) ?? .string(text)
    case .json:
      do {
        return try JSONValue(parsing: text)
      } catch {
        let reason = flags.contains(name) ? "true or false, not \"\(text.shown)\"" : "JSON: \(error.message)"
        throw CommandFailure(exitCode: 64, message: "\(name) must be \(reason)")
      }
    }
  }

  /// The value of a parameter that is in a file. Bytes become base64; the newline at the end of a secret is not a part
  /// of it.
  func value(contentOf file: [UInt8], for name: String) throws -> JSONValue {
    if case .bytes? = forms[name] { return .string(Base64Bytes(file).text) }
    guard var text = String(validating: file, as: UTF8.self) else {
      throw CommandFailure(exitCode: 1, message: "the file for \(name) must be UTF-8 text")
    }
    if case .secret? = forms[name], text.last?.isNewline == true { text.removeLast() }
    if case .text? = forms[name] { return .string(text) }
    if case .textOrInteger? = forms[name], text.last?.isNewline == true { text.removeLast() }
    return try value(text, for: name)
  }

  private static func form(of schema: JSONValue, in components: [String: JSONValue]) -> Form {
    let schemas = alternatives(of: schema, in: components)
    let types = types(in: schemas)
    guard types.contains("string") else { return .json }
    if schemas.contains(where: { $0["contentEncoding"] != nil }) { return .bytes }
    return types.contains("integer") ? .textOrInteger : .text
  }

  private static func types(in schemas: [JSONValue]) -> Set<String> {
    Set(schemas.compactMap { $0["type"]?.stringValue })
  }

  /// The schema itself, and those of which one must apply.
  private static func alternatives(of schema: JSONValue, in components: [String: JSONValue]) -> [JSONValue] {
    if let reference = schema["$ref"]?.stringValue {
      let name = reference.split(separator: "/").last.map(String.init) ?? ""
      return components[name].map { alternatives(of: $0, in: components) } ?? []
    }
    let others = (schema["anyOf"]?.arrayValue ?? []) + (schema["allOf"]?.arrayValue ?? [])
    return [schema] + others.flatMap { alternatives(of: $0, in: components) }
  }
}
