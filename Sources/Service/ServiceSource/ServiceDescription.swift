import JSON
import SourceProtocol

/// What a tenant service says about itself at `/mam/v1/`.
package struct ServiceDescription: Hashable, Sendable {
  package let name: String
  /// Of the messages that it speaks.
  package let version: Int64
  /// `nil` if the service takes no tokens.
  package let authentication: ServiceAuthentication?
  /// Whether the service says when something changes.
  package let canPush: Bool
  /// Whether the tenant is for development alone.
  package var isDevelopment = false

  /// `nil` if the value is no description.
  package init?(_ value: JSONValue) {
    guard let object = value.objectValue, let name = object["name"]?.stringValue else { return nil }
    self.name = name
    version = object["version"]?.integerValue ?? 0
    canPush = object["push"]?.boolValue ?? false
    switch object["authentication"] {
    case .none, .some(.null): authentication = nil
    case .some(let value):
      guard let authentication = ServiceAuthentication(value) else { return nil }
      self.authentication = authentication
    }
  }
}

/// Which tokens a tenant service takes.
package struct ServiceAuthentication: Hashable, Sendable {
  /// The issuer of the tokens.
  package let authority: String
  /// What the tokens are for.
  package let resource: String?
  package let scopes: [String]
  /// The client with which hosts sign in, if the service knows one.
  package let clientId: String?

  /// `nil` without an authority and scopes.
  package init?(_ value: JSONValue) {
    guard let authority = value["authority"]?.stringValue, let scopes = value["scopes"]?.strings, !scopes.isEmpty else {
      return nil
    }
    self.authority = authority
    self.scopes = scopes
    resource = value["resource"]?.stringValue
    clientId = value["clientId"]?.stringValue
  }

  /// As a source says it.
  var said: SourceAuthentication {
    SourceAuthentication(authority: authority, resource: resource, scopes: scopes, clientId: clientId)
  }
}
