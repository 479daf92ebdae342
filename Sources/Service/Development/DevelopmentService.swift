// Development is what `mambridge-tenant dev` adds to the parts of the tenant service: an identity provider in the shapes
// of Microsoft Entra, whose users are those of the tenant, on the same origin as the service. No target that a real
// service uses knows this one.
//
// Other users of the machine and every page in a browser can reach loopback. So `RequestGuard` looks at each request
// before anybody else; tokens without a person's click, and the choice on the sign-in page, need the secret of the run;
// and all that the provider signs is marked as development, which real services refuse.
//
// Provider/ has the endpoints, Pages/ what a browser shows.

import Cryptography
import HTTP
import JSON
import Support
import TenantService

/// Answers everything on the origin of a development tenant: the sign-in itself, and the rest by the tenant service.
package final class DevelopmentService: HTTPResponder {
  private let guardian: RequestGuard
  private let provider: IdentityProvider
  private let service: TenantService
  private let log: @Sendable (String) -> Void

  /// `log` gets single lines without secrets.
  package init(
    _ settings: DevelopmentSettings, _ provider: IdentityProvider, _ service: TenantService,
    log: @escaping @Sendable (String) -> Void
  ) {
    guardian = RequestGuard(settings)
    (self.provider, self.service, self.log) = (provider, service, log)
  }

  package func response(to request: HTTPRequest, from peer: String) async -> HTTPResponse {
    let start = ContinuousClock.now
    if let refusal = guardian.refusal(of: request) {
      return finish(refusal, to: request, peer, start)
    }
    if let preflight = guardian.preflight(request) { return finish(preflight, to: request, peer, start) }
    if let response = await provider.response(to: request) { return finish(response, to: request, peer, start) }
    return guardian.protected(await service.response(to: request, from: peer), of: request)
  }

  package func refusal(
    _ status: Int, because fault: String?, of request: HTTPRequest, from peer: String
  ) -> HTTPResponse {
    guardian.protected(service.refusal(status, because: fault, of: request, from: peer), of: request)
  }

  private func finish(
    _ response: HTTPResponse, to request: HTTPRequest, _ peer: String, _ start: ContinuousClock.Instant
  ) -> HTTPResponse {
    let line = AccessLine(request, response, peer: peer, user: nil, id: .randomUUID, ContinuousClock.now - start)
    log(line.text)
    return guardian.protected(response, of: request)
  }
}

/// What a development tenant is made with.
package struct DevelopmentSettings: Sendable {
  /// The client with which apps and hosts sign in.
  package static let clientId = "de5c11e7-0000-4000-8000-000000000001"
  /// What the tokens of hosts are for.
  package static let audience = "api://mambridge"
  /// The group whose users are administrators.
  package static let administrators = "Administrators"

  /// Scheme, host and port, such as `https://127.0.0.1:8480`.
  package let origin: String
  package let redirects: RegisteredRedirects
  private let secret: String

  /// `secret` is what tokens without a click need, and the choice on the sign-in page.
  package init(origin: String, secret: String, redirects: RegisteredRedirects) {
    (self.origin, self.secret, self.redirects) = (origin, secret, redirects)
  }

  /// Whether only this machine's own programs can be there: whoever takes the port later has no key to the certificate.
  var provesItself: Bool { origin.hasPrefix("https://") }

  /// In a time that says nothing about the secret.
  func isSecret(_ text: String?) -> Bool {
    text.map { constantTimeEquals(Array($0.utf8), Array(secret.utf8)) } ?? false
  }
}
