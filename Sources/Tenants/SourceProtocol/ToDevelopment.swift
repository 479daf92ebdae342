import JSON

/// What a sandbox asks the development tenant that it has started, `mambridge-tenant dev --requests`. Both belong to one
/// release.
package enum ToDevelopment {
  /// Answered once the tenant listens.
  package enum Open {
    package static let name = "development.open"
    package typealias Result = DevelopmentPlaces
  }

  /// A request to the service, to Graph or to the identity provider.
  package enum Send {
    package static let name = "development.send"

    package struct Params: Record {
      package var method: String
      package var path: String
      package var token: TokenText?
      package var body: String?

      package init(method: String, path: String, token: TokenText?, body: String?) {
        (self.method, self.path, self.token, self.body) = (method, path, token, body)
      }

      package static let fields = Fields(
        Self.init(method:path:token:body:), Field("method", \.method, "The method of HTTP, such as GET."),
        Field("path", \.path, "The path, with the query."),
        Field("token", \.token, "The access token; null for none."),
        Field("body", \.body, "JSON; null for none."))
    }

    package typealias Result = DevelopmentAnswer
  }

  /// An access token of a user.
  package enum GetToken {
    package static let name = "development.token"

    package struct Params: Record {
      package var user: String

      package init(user: String) { self.user = user }

      package static let fields = Fields(Self.init(user:), Field("user", \.user, "The user principal name."))
    }

    package typealias Result = TokenText
  }
}

/// Where a development tenant is.
package struct DevelopmentPlaces: Record {
  package var service: String
  package var authority: String
  package var clientId: String
  package var graph: String
  package var tenantId: String
  package var certificate: String
  package var secret: String
  package var state: String

  package init(
    service: String, authority: String, clientId: String, graph: String, tenantId: String, certificate: String,
    secret: String, state: String
  ) {
    (self.service, self.authority, self.clientId, self.graph) = (service, authority, clientId, graph)
    (self.tenantId, self.certificate, self.secret, self.state) = (tenantId, certificate, secret, state)
  }

  package static let fields = Fields(
    Self.init(service:authority:clientId:graph:tenantId:certificate:secret:state:),
    Field("service", \.service, "The address of the service."),
    Field("authority", \.authority, "The identity provider."),
    Field("clientId", \.clientId, "The client with which apps sign in."),
    Field("graph", \.graph, "The address of Graph."), Field("tenantId", \.tenantId, "The id of the tenant."),
    Field("certificate", \.certificate, "The path of the certificate to trust."),
    Field("secret", \.secret, "The token for what is below /dev."),
    Field("state", \.state, "Where the state of a host may be; others may be beside it."))
}

/// The answer to a request over HTTP.
package struct DevelopmentAnswer: Record {
  package var status: Int64
  package var body: String

  package init(status: Int64, body: String) { (self.status, self.body) = (status, body) }

  package static let schemaName = "NetworkAnswer"
  package static let fields = Fields(
    Self.init(status:body:), Field("status", \.status, "The status of HTTP."),
    Field("body", \.body, "The body, as text."))
}

/// A development tenant that serves the tenant of a sandbox.
package protocol DevelopmentTenant: Sendable {
  var places: DevelopmentPlaces { get }
  /// The program, by its path if it has one.
  var program: String { get }
  /// What the program has said on its standard error.
  var log: String { get }
  /// Why the program has ended; `nil` while it runs.
  var ending: String? { get }
  func send(_ request: ToDevelopment.Send.Params) async throws(DevelopmentFailure) -> DevelopmentAnswer
  func token(of user: String) async throws(DevelopmentFailure) -> TokenText
  /// Ends the program. Waits until nothing of it is left.
  func end()
}

/// Why a development tenant does not do what it was asked for, with the way out.
package struct DevelopmentFailure: Error, Hashable, Sendable {
  package let text: String

  package init(_ text: String) { self.text = text }
}
