import Bridge
import JSON
import Model
import Support

/// What the words of a call may have meant, in the words of the command line. Added to an error before it is printed.
struct CallHints {
  enum Command: String { case call, explain }

  private static let (noMethod, invalidParams) = (JSONValue.integer(-32601), JSONValue.integer(-32602))

  private let command: Command
  /// The method that is called, or whose answer is explained.
  private let method: String
  private let params: JSONValue?

  init(_ command: Command, _ method: String, _ params: JSONValue?) {
    (self.command, self.method, self.params) = (command, method, params)
  }

  /// The error with the hint for this command line, if there is one, in place of that for programs.
  func added(to error: JSONValue) -> JSONValue {
    guard let hint = hint(for: error), var object = error.objectValue else { return error }
    var data = object["data"]?.objectValue ?? [:]
    data["hint"] = .string(hint)
    object["data"] = .object(data)
    return .object(object)
  }

  private func hint(for error: JSONValue) -> String? {
    let path = error["data"]?["path"]?.stringValue ?? ""
    if error["code"] == Self.noMethod || command == .explain && path == "/query" { return methodHint(error) }
    guard error["code"] == Self.invalidParams else { return nil }
    let parts = path.split(separator: "/").map(String.init)
    let own = command == .explain && parts.first == "params" ? Array(parts.dropFirst()) : parts
    guard own.count == 1, let known = API.allMethods.first(where: { $0.name == method }) else { return nil }
    return parameterHint(own[0], KnownParameters(known))
  }

  private func methodHint(_ error: JSONValue) -> String? {
    let found = error["data"]?["hint"]?.stringValue ?? ""
    let nearest = found.hasPrefix("Did you mean ") ? found.prefix { $0 != "?" } + "? " : ""
    guard command == .explain else { return "\(nearest)mambridge schema lists all methods" }
    let known = API.method(named: method) != nil
    guard known else { return "\(nearest)mambridge explain --help says what can be explained" }
    return found.hasPrefix("Did you mean ") || found.hasPrefix("policy.explain takes ")
      ? "\(nearest)mambridge call \(method) answers; mambridge explain --help says what can be explained" : nil
  }

  private func parameterHint(_ name: String, _ known: KnownParameters) -> String {
    let help = "mambridge call \(method) --help lists the parameters"
    guard let values = known.words[name] else {
      return known.words.keys.sorted().nearest(to: name).map { "Did you mean \($0)=? \(help)" } ?? help
    }
    guard let given = params?[name]?.stringValue else {
      return params?[name] == nil ? "Add \(name)=VALUE; \(help)" : help
    }
    return values.nearest(to: given).map { "Did you mean \(name)=\($0)?" } ?? help
  }
}

/// The parameters of a method.
private struct KnownParameters {
  /// For each parameter the words that it may be; empty if it is no enumeration.
  private(set) var words: [String: [String]] = [:]

  init<M: Method>(_ method: M.Type) {
    var components = SchemaComponents()
    let fields = components.input { M.Params.fields.describe(in: &$0) }
    let schemas = SchemaWords(components: JSONObject(components.schemas.map { ($0.key, $0.value) }))
    for field in fields {
      words[field.name] = schemas.alternatives(of: field.schema).flatMap { $0["enum"]?.strings ?? [] }
    }
  }
}
