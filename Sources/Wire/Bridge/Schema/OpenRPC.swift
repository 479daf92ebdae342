import JSON
import Model

/// The OpenRPC 1.4 documents.
package enum OpenRPC {
  /// Who answers the methods of a document.
  package enum Place: Sendable {
    case server
    /// `mambridge sandbox`, which has more methods.
    case sandbox
  }

  /// Describes all methods of the place, events and requests to hosts.
  package static func document(serverVersion: String, for place: Place = .sandbox) -> JSONObject {
    var components = DocumentComponents()
    let methods = (place == .sandbox ? API.allMethods : API.methods).map { MethodDescription($0, in: &components).json }
    let notifications = API.notifications.map { NotificationDescription($0, in: &components).json }
    let hostRequests = API.hostRequests.map { HostRequestDescription($0, in: &components).json }
    let transportErrors = components.references(to: .transport)
    let session = SessionDescription.json(in: &components)
    return [
      "openrpc": "1.4.0",
      "info": [
        "title": "mambridge", "version": .string(serverVersion),
        "description": .string(serverText), "x-sdk-version": .string(Device.implementedSDKVersion),
      ],
      "servers": DocumentServers.json,
      "methods": .array(methods),
      "components": .object(components.json),
      "x-events": .array(notifications),
      "x-delegates": .array(hostRequests),
      "x-limits": .object(Limits.json),
      "x-errors": transportErrors,
      "x-session": session,
    ]
  }

  /// Describes the requests to hosts alone, as the methods that a host serves.
  package static func hostDocument(serverVersion: String) -> JSONObject {
    var components = DocumentComponents()
    let methods = API.hostRequests.map { HostRequestDescription($0, in: &components).json }
    return [
      "openrpc": "1.4.0",
      "info": [
        "title": "mambridge host", "version": .string(serverVersion), "description": .string(hostText),
        "x-sdk-version": .string(Device.implementedSDKVersion),
      ],
      "methods": .array(methods),
      "components": .object(components.json),
    ]
  }

  private static let serverText = """
    The Intune App SDK as a JSON-RPC 2.0 server over stdio, TCP, Unix sockets and HTTP. x-sdk-members lists the members \
    of the SDK for iOS that a method, an event or a field of an event stands for. x-events describes the notifications \
    that the server sends, in the form of methods. x-delegates describes the requests that the server sends to a host \
    that declared them in initialize, and what happens by default. x-limits lists the limits of a connection. x-errors \
    lists the errors that any request can end with, in addition to the errors of its method. x-session describes the \
    _meta of any params, the data of any error, and the notifications of the session. x-former-name is an older \
    name of a parameter, which is still read. x-sandbox marks a method that exists only in `mambridge sandbox`. Where a description names a commit point: a call that is cancelled or \
    times out before that point has changed nothing, and from that point on a cancel is ignored.
    """

  private static let hostText = """
    The requests that mambridge sends to a host: an app declares those that it answers in initialize, and serves them \
    on the same connection. x-default says what happens if no host answers.
    """

  /// One method, event or request to a host as the document shows it, with the components that it refers to. `nil` for an
  /// unknown name.
  package static func item(named name: String) -> JSONObject? {
    var components = DocumentComponents()
    let item: JSONValue? =
      if let method = API.method(named: name) {
        MethodDescription(method, in: &components).json
      } else if let notification = API.notifications.first(where: { $0.name == name }) {
        NotificationDescription(notification, in: &components).json
      } else if let request = API.hostRequests.first(where: { $0.name == name }) {
        HostRequestDescription(request, in: &components).json
      } else {
        nil
      }
    guard var object = item?.objectValue else { return nil }
    object["components"] = .object(components.json)
    return object
  }

  /// The method, event or request to a host that somebody most likely meant; `nil` if nothing is near.
  package static func nearestName(to name: String) -> String? {
    let names =
      API.allMethods.map { $0.name } + API.notifications.map { $0.name } + API.hostRequests.map { $0.name }
    return WantedName(name)?.nearest(amongDotted: names.map { KnownName($0) })
  }

  /// The document as in the schema file: indented, with a newline at the end.
  package static func text(serverVersion: String, for place: Place = .sandbox) -> String {
    JSONValue.object(document(serverVersion: serverVersion, for: place)).indentedText + "\n"
  }
}
