import JSON

/// The OpenRPC 1.4 document of all methods.
package enum OpenRPC {
  package static func document(serverVersion: String) -> JSONObject {
    var components = SchemaComponents()
    let methods = API.methods.map { MethodDescription($0, in: &components).json }
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
      "components": ["schemas": .object(components.object)],
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
  /// Written out where it is listed: the validators at hand do not follow references to errors.
  var json: JSONValue {
    [
      "code": .integer(Int64(code)),
      "message": .string(summary),
      "data": ["name": .string(name)],
    ]
  }
}
