// Development is what `mambridge-tenant dev` adds to the parts of the tenant service: an identity provider in the shapes
// of Microsoft Entra, whose users are those of the tenant, on the same origin as the service. No target that a real
// service uses knows this one.
//
// Other users of the machine and every page in a browser can reach loopback. So `RequestGuard` looks at each request
// before anybody else; tokens without a person's click, and the choice on the sign-in page, need the secret of the run;
// and all that the provider signs is marked as development, which real services refuse.
//
// Provider/ has the endpoints, Pages/ what a browser shows, Control/ what a test does to the tenant: faults, snapshots,
// and the last requests.

import Cryptography
import HTTP
import JSON
import SourceProtocol
import Support
import TenantService

/// Answers everything on the origin of a development tenant: the sign-in, the control and the page itself, and the rest
/// by the tenant service.
package final class DevelopmentService: HTTPResponder {
  private let settings: DevelopmentSettings
  private let guardian: RequestGuard
  private let provider: IdentityProvider
  private let service: TenantService
  private let control: Control
  private let log: @Sendable (String) -> Void

  /// `log` gets single lines without secrets; those of the service must come through `RequestNotes.noting`, too.
  package init(
    _ settings: DevelopmentSettings, _ provider: IdentityProvider, _ service: TenantService,
    _ snapshots: any DevelopmentSnapshots, log: @escaping @Sendable (String) -> Void
  ) {
    guardian = RequestGuard(settings)
    control = Control(settings, provider, snapshots, log: log)
    (self.settings, self.provider, self.service, self.log) = (settings, provider, service, log)
  }

  /// Lets all that only wait be answered.
  package func endWaiting() {
    control.ring.end()
    service.endPolls()
  }

  package func response(to request: HTTPRequest, from peer: String) async -> HTTPResponse {
    let notes = RequestNotes()
    return await CallContext.$current.withValue(.current(by: notes)) {
      let start = ContinuousClock.now
      let response = guardian.protected(await answer(to: request, from: peer, notes), of: request)
      record(request, response, notes, ContinuousClock.now - start)
      return response
    }
  }

  private func answer(to request: HTTPRequest, from peer: String, _ notes: RequestNotes) async -> HTTPResponse {
    let start = ContinuousClock.now
    let target = HTTPTarget(request.url)
    let own: HTTPResponse?
    if let refusal = guardian.refusal(of: request) ?? guardian.preflight(request) {
      own = refusal
    } else if let target, Control.isControl(target) {
      own = await control.response(to: request, at: target)
    } else {
      return await faulty(request, from: peer, notes)
    }
    let response = own ?? HTTPResponse(404)
    if !isSilent(request, response) { logAccess(request, response, peer, start) }
    return response
  }

  package func refusal(
    _ status: Int, because fault: String?, of request: HTTPRequest, from peer: String
  ) -> HTTPResponse {
    guardian.protected(service.refusal(status, because: fault, of: request, from: peer), of: request)
  }
}

extension DevelopmentService {
  /// The answer, changed by the fault that is planted for it.
  private func faulty(_ request: HTTPRequest, from peer: String, _ notes: RequestNotes) async -> HTTPResponse {
    let start = ContinuousClock.now
    guard !isOfPage(request), let place = FaultyPlace(request),
      let fault = control.faults.take([place], where: { !FaultKind.signIns.contains($0.kind) || place != .token })?
        .fault
    else { return await sound(request, from: peer, notes) }
    notes.fault = fault.hit(at: place)
    let answer = FaultyAnswer(
      fault: fault, place: place, request: request, settings: settings, now: provider.clock.now)
    let wasLogged = Lock(false)
    let response = await answer.response(expired: provider.expired) { request in
      wasLogged.withLock { $0 = true }
      return await sound(request, from: peer, notes)
    }
    if !wasLogged.withLock({ $0 }) { logAccess(request, response, peer, start) }
    return response
  }

  private func sound(_ request: HTTPRequest, from peer: String, _ notes: RequestNotes) async -> HTTPResponse {
    // A poll waits for what changes, such as an exchange of the tenant.
    guard HTTPTarget(request.url)?.path != ["mam", "v1", "changes"] else {
      return await service.response(to: request, from: peer)
    }
    return await control.gate.pass {
      let start = ContinuousClock.now
      let signedIn = await provider.response(to: request) { [self] in
        guard !isOfPage(request) else { return nil }
        let taken = control.faults.take([.token]) { FaultKind.signIns.contains($0.kind) }
        if let taken { notes.fault = taken.fault.hit(at: taken.place) }
        return taken?.fault.kind
      }
      guard let signedIn else { return await service.response(to: request, from: peer) }
      if !isSilent(request, signedIn) { logAccess(request, signedIn, peer, start) }
      return signedIn
    }
  }

  private func logAccess(
    _ request: HTTPRequest, _ response: HTTPResponse, _ peer: String, _ start: ContinuousClock.Instant
  ) {
    log(AccessLine(request, response, peer: peer, user: nil, id: .randomUUID, ContinuousClock.now - start).text)
  }

  /// Whether the page of this tenant asks, which shows what is there whatever is planted.
  private func isOfPage(_ request: HTTPRequest) -> Bool { settings.isSecret(request.headers["Mambridge-Page"]) }

  /// What the page asks all the time says nothing about an app.
  private func isSilent(_ request: HTTPRequest, _ response: HTTPResponse) -> Bool {
    guard response.status < 400, let path = HTTPTarget(request.url)?.path else { return false }
    if isOfPage(request) { return request.method == "GET" || SignInRoute(request.url)?.isToken ?? false }
    return request.method == "GET" && (path.isEmpty || ["dev", "page"].contains(path.first))
  }

  private func record(
    _ request: HTTPRequest, _ response: HTTPResponse, _ notes: RequestNotes, _ duration: Duration
  ) {
    guard !isSilent(request, response) else { return }
    let hasQuery = FaultyPlace(request) == .graph
    control.ring.append(
      RequestRing.Entry(
        time: provider.clock.now, method: String(request.method.prefix(16)),
        path: String(request.url.prefix { hasQuery || $0 != "?" }.prefix(500)),
        status: response.ending == .none ? 0 : response.status,
        milliseconds: Int((duration / .milliseconds(1)).rounded()),
        who: isOfPage(request) ? "the page" : provider.who(request),
        why: why(response, notes), fault: notes.fault))
  }

  private func why(_ response: HTTPResponse, _ notes: RequestNotes) -> String? {
    let body = response.status < 400 ? nil : try? JSONValue(parsing: response.body)
    let text = body?["error"]?["message"]?.stringValue ?? body?["error_description"]?.stringValue
    let all = notes.lines + (text.map { [$0] } ?? [])
    return all.isEmpty ? nil : String(all.joined(separator: "; ").prefix(1000))
  }
}

/// What a development tenant is made with.
package struct DevelopmentSettings: Sendable {
  /// The client with which apps and hosts sign in.
  package static let clientId = "de5c11e7-0000-4000-8000-000000000001"
  /// The name with which hosts ask for tokens.
  package static let resource = "api://mambridge"
  /// The client id of that resource, for which their tokens are: Entra's tokens of version 2 have no other name of it.
  package static let resourceId = "de5c11e7-0000-4000-8000-000000000003"
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
