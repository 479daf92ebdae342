import JSON

/// The OpenRPC 1.4 document of all methods.
package enum OpenRPC {
  package static func document(serverVersion: String) -> JSONObject {
    var components = SchemaComponents()
    var errors: [String: APIError] = [:]
    let methods = API.methods.map { method in
      for error in method.allErrors { errors[error.name] = error }
      return MethodDescription(method, in: &components).json
    }
    return [
      "openrpc": "1.4.0",
      "info": [
        "title": "mambridge",
        "version": .string(serverVersion),
        "description": """
        The Intune App SDK as JSON-RPC 2.0 over stdio, TCP and unix sockets. x-sdk-members names the members of the \
        SDK for iOS that a method stands for.
        """,
      ],
      "methods": .array(methods),
      "components": .object([
        "schemas": .object(components.object),
        "errors": .object(
          JSONObject(errors.values.sorted { $0.code > $1.code }.map { ($0.name, $0.json) })),
      ]),
    ]
  }

  /// The document as the schema file holds it: indented, one newline at the end.
  package static func text(serverVersion: String) -> String {
    JSONValue.object(document(serverVersion: serverVersion)).indentedText + "\n"
  }
}

extension Method {
  /// Its own errors and those that its parameters make possible.
  package static var allErrors: [APIError] {
    (Params.self == NoParameters.self ? [] : [.invalidParams]) + errors
  }
}

extension APIError {
  fileprivate var json: JSONValue {
    [
      "code": .integer(Int64(code)),
      "message": .string(summary),
      "data": ["name": .string(name)],
    ]
  }
}
