import JSON
import Model

/// The OpenRPC 1.4 document of all methods.
package enum OpenRPC {
  static func document(serverVersion: String) -> JSONObject {
    var components = SchemaComponents()
    let methods = API.methods.map { MethodDescription($0, in: &components).json }
    let notifications = API.notifications.map { NotificationDescription($0, in: &components).json }
    let hostRequests = API.hostRequests.map { HostRequestDescription($0, in: &components).json }
    return [
      "openrpc": "1.4.0",
      "info": [
        "title": "mambridge",
        "version": .string(serverVersion),
        "description": """
        The Intune App SDK as JSON-RPC 2.0 over stdio and TCP. x-sdk-members names the members of the SDK for iOS that \
        a method, an event or one of its fields stands for. x-events are what the server tells without being asked, in \
        the form of methods; x-delegates are what it asks a host that has declared so in initialize, with what happens \
        by default; x-limits says what a connection may ask, x-errors what any request can end with beside the errors \
        of its method.
        """,
      ],
      "methods": .array(methods),
      "components": ["schemas": .object(components.object)],
      "x-events": .array(notifications),
      "x-delegates": .array(hostRequests),
      "x-limits": .object(Limits.json),
      "x-errors": .array([ErrorCode].transport.map(\.json)),
    ]
  }

  /// The document as the schema file holds it: indented, one newline at the end.
  package static func text(serverVersion: String) -> String {
    JSONValue.object(document(serverVersion: serverVersion)).indentedText + "\n"
  }
}
