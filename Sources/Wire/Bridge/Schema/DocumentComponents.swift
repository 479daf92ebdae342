import JSON
import Model

/// What the items of a document refer to: named schemas, errors and tags.
struct DocumentComponents {
  var schemas = SchemaComponents()
  private var errors: Set<ErrorCode> = []
  private var namespaces: Set<String> = []

  mutating func references(to errors: [ErrorCode]) -> JSONValue {
    self.errors.formUnion(errors)
    return .array(errors.map { .reference(to: "errors", $0.name) })
  }

  /// The tags of a method: its namespace.
  mutating func tags(of name: String) -> JSONValue {
    let namespace = name.contains(".") ? String(name.prefix { $0 != "." }) : "connection"
    namespaces.insert(namespace)
    return [.reference(to: "tags", namespace)]
  }

  /// Schemas and tags are in the order of their names, errors in the order of their codes and names.
  var json: JSONObject {
    let errors = errors.sorted { ($0.number, $0.name) < ($1.number, $1.name) }
    return [
      "schemas": .object(schemas.object),
      "errors": .object(JSONObject(errors.map { ($0.name, $0.json) })),
      "tags": .object(JSONObject(namespaces.sorted().map { ($0, ["name": .string($0)]) })),
    ]
  }
}

/// Where a server can be reached.
enum DocumentServers {
  static let json: JSONValue = [
    server("stdio", "stdio:mambridge", "A child process: messages on its standard input and output."),
    server("tcp", "tcp://127.0.0.1:${port}", "mambridge --listen tcp://127.0.0.1:PORT. Call authenticate first.", port),
    server(
      "unix", "unix://${path}", "mambridge --listen unix:///PATH. Only the user who started it can connect.",
      ["path": ["default": "/run/user/1000/mambridge.sock", "description": "The absolute path of the socket."]]),
    server(
      "http", "http://127.0.0.1:${port}/rpc",
      "mambridge --listen http://127.0.0.1:PORT. Send the header \"Authorization: Bearer TOKEN\" with each call.", port),
  ]

  private static let port: JSONValue = [
    "port": ["default": "0", "description": "The port, as the server prints it on standard error."]
  ]

  private static func server(
    _ name: String, _ url: String, _ summary: String, _ variables: JSONValue? = nil
  ) -> JSONValue {
    var server: JSONObject = ["name": .string(name), "url": .string(url), "summary": .string(summary)]
    server["variables"] = variables
    return .object(server)
  }
}
