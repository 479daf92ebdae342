import HTTP
import JSON
import ServiceSource
import SourceProtocol
import Support
import TestSupport
import Testing

@testable import SignIn

@Suite("Failed sign-ins") struct SignInFaultTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    var answers: [FakeProvider.Answer] = []
    var change: @Sendable (inout FakeProvider.State) -> Void = { _ in }
    let kind: SignInFailure.Kind
    let text: String
    var sleeps: Int?

    var testDescription: String { name }
  }

  private let cache: TokenCache
  private let folder: TemporaryFolder

  init() {
    folder = TemporaryFolder()
    cache = TokenCache(folder.path + "/sign-ins")
  }

  static let refreshes: [Case] = [
    Case(
      name: "a dead refresh token", answers: [.error("invalid_grant")], kind: .personNeeded,
      text: "Sign in again with: mambridge-tenant login https://mam.example"),
    Case(
      name: "an unknown error of a provider with other ideas", answers: [.error("invalid_code", status: 403)],
      kind: .personNeeded, text: "invalid_code"),
    Case(name: "a refusal without a reason", answers: [.empty(400)], kind: .personNeeded, text: "status 400"),
    Case(
      name: "the person is needed", answers: [.error("interaction_required", "AADSTS50076: use MFA", ["claims": "{}"])],
      kind: .personNeeded, text: "AADSTS50076: use MFA"),
    Case(
      name: "app protection by its number", answers: [.error("unauthorized_client", "AADSTS53005: no policy")],
      kind: .refused, text: "Exclude the app of the tenant service"),
    Case(
      name: "app protection by its suberror",
      answers: [.error("invalid_grant", "", ["suberror": "protection_policies_required"])], kind: .refused,
      text: "Exclude the app of the tenant service"),
    Case(
      name: "Conditional Access by its number",
      answers: [.error("invalid_grant", "blocked", ["error_codes": [53003]])], kind: .refused, text: "device code flow"),
    Case(
      name: "a confidential client", answers: [.error("invalid_client", "AADSTS7000218: secret", status: 401)],
      kind: .refused, text: "Allow public client flows"),
    Case(
      name: "a resource that Entra refuses", answers: [.error("invalid_request", "AADSTS901002: resource")],
      kind: .refused, text: "Check --resource"),
    Case(name: "a wrong scope", answers: [.error("invalid_scope")], kind: .refused, text: "Check the scopes"),
    Case(
      name: "an error with status 200", answers: [.error("invalid_grant", status: 200)], kind: .personNeeded, text: ""),
    Case(
      name: "a busy provider", answers: [.response(HTTPResponse(429, headers: HTTPHeaders(["Retry-After": "7"])))],
      kind: .unavailable, text: "status 429"),
    Case(name: "a broken provider", answers: [.empty(503)], kind: .unavailable, text: "status 503"),
    Case(
      name: "a provider that says it is busy", answers: [.error("temporarily_unavailable")], kind: .unavailable,
      text: "is busy"),
    Case(name: "no connection", answers: [.failure(.cannotConnect)], kind: .unavailable, text: "Cannot ask"),
    Case(name: "an untrusted certificate", answers: [.failure(.notTrusted)], kind: .unavailable, text: "Cannot ask"),
    Case(name: "an answer without end", answers: [.failure(.tooLarge)], kind: .unavailable, text: "Cannot ask"),
    Case(
      name: "a page of a proxy", answers: [.response(HTTPResponse(403, body: Array("<html>no</html>".utf8)))],
      kind: .unavailable, text: "answered with a web page (status 403)"),
    Case(
      name: "a redirect", answers: [.response(HTTPResponse(302, headers: HTTPHeaders(["Location": "https://evil"])))],
      kind: .unavailable, text: "status 302"),
    Case(
      name: "an answer without a token", answers: [.json(200, ["expires_in": 5])], kind: .refused, text: "access_token"),
    Case(
      name: "a token that would break a header", answers: [.json(200, ["access_token": "a\r\nb"])], kind: .refused,
      text: "access_token"),
    Case(
      name: "a token of another type", answers: [.json(200, ["access_token": "a", "token_type": "DPoP"])],
      kind: .refused, text: "DPoP"),
    Case(
      name: "a token of somebody else", change: { $0.claims["oid"] = "mallory" }, kind: .personNeeded,
      text: "signed in, and not"),
    Case(
      name: "a provider with another name", change: { $0.document["issuer"] = "https://evil" }, kind: .unavailable,
      text: "says that its issuer is https://evil"),
    Case(
      name: "a token endpoint without https", change: { $0.document["token_endpoint"] = "http://login.example/token" },
      kind: .unavailable, text: "not an https URL"),
  ]

  @Test("A failed refresh reports the cause and keeps the refresh token", arguments: refreshes)
  func refresh(_ entry: Case) async throws {
    let provider = FakeProvider()
    _ = try await provider.signIn(cache).withDeviceCode { _ in true }
    provider.state.withLock { state in
      state.tokenAnswers = entry.answers
      entry.change(&state)
    }
    let failure = try #require(await signInFailure { try await provider.signIn(cache).silently() })
    #expect(failure.kind == entry.kind, "\(failure)")
    #expect(failure.text.contains(entry.text), "\(failure)")
    #expect(!failure.text.contains("refresh1"))
    #expect(try cache.signIns().map(\.refreshToken) == ["refresh1"])
  }

  @Test("Errors of a sign-in pass on the claims and the Retry-After of the provider") func passedOn() async throws {
    let provider = FakeProvider()
    _ = try await provider.signIn(cache).withDeviceCode { _ in true }
    let wait = HTTPResponse(503, headers: HTTPHeaders(["Retry-After": "30"]))
    provider.state.withLock {
      $0.tokenAnswers = [.error("interaction_required", "", ["claims": #"{"id_token":{}}"#]), .response(wait)]
    }
    let challenged = await signInFailure { try await provider.signIn(cache).silently() }
    #expect(challenged?.sourceError.rpcError.details["claims"] == #"{"id_token":{}}"#)
    let busy = await signInFailure { try await provider.signIn(cache).silently() }
    #expect(busy?.sourceError.rpcError.details["retryAfter"] == 30.0)
  }

  static let codes: [Case] = [
    Case(name: "declined", answers: [.error("access_denied")], kind: .declined, text: "was declined", sleeps: 1),
    Case(
      name: "declined in Entra's words", answers: [.error("authorization_declined")], kind: .declined,
      text: "was declined", sleeps: 1),
    Case(
      name: "expired", answers: [.error("expired_token")], kind: .declined, text: "before the code expired", sleeps: 1),
    Case(
      name: "expired by the clock", answers: Array(repeating: .error("authorization_pending"), count: 500),
      kind: .declined, text: "before the code expired", sleeps: 180),
    Case(
      name: "a provider that stays away", answers: Array(repeating: .failure(.cannotConnect), count: 500),
      kind: .declined, text: "before the code expired"),
    Case(
      name: "an unknown error", answers: [.error("invalid_code", status: 403)], kind: .refused, text: "invalid_code"),
    Case(
      name: "no sign-in by device code", change: { $0.document["device_authorization_endpoint"] = nil }, kind: .refused,
      text: "has no sign-in by device code", sleeps: 0),
    Case(
      name: "a client without the grant", change: { $0.deviceAnswer = .error("unauthorized_client") }, kind: .refused,
      text: "device code flow", sleeps: 0),
    Case(
      name: "a page without https",
      change: { state in
        var code = FakeProvider.deviceCode
        code["verification_uri"] = "http://login.example/device"
        state.deviceAnswer = .json(200, .object(code))
      }, kind: .unavailable, text: "is no device code", sleeps: 0),
    Case(
      name: "a device endpoint that is down", change: { $0.deviceAnswer = .empty(503) }, kind: .unavailable,
      text: "status 503", sleeps: 0),
  ]

  @Test("A failed sign-in by device code reports the cause and stores nothing", arguments: codes)
  func deviceCode(_ entry: Case) async throws {
    let provider = FakeProvider(entry.answers)
    provider.state.withLock { entry.change(&$0) }
    let failure = try #require(await signInFailure { try await provider.signIn(cache).withDeviceCode { _ in true } })
    #expect(failure.kind == entry.kind, "\(failure)")
    #expect(failure.text.contains(entry.text), "\(failure)")
    if let sleeps = entry.sleeps { #expect(provider.state.withLock { $0.sleeps.count } == sleeps) }
    #expect(try cache.signIns().isEmpty)
  }

  @Test("A provider that is unavailable for a moment does not end a sign-in by device code") func passingFaults()
    async throws
  {
    let provider = FakeProvider([.failure(.late), .empty(502), .failure(.cutOff), .error("authorization_pending")])
    _ = try await provider.signIn(cache).withDeviceCode { _ in true }
    #expect(try cache.signIns().count == 1)
  }

  @Test("A canceled sign-in ends at once and stores nothing") func canceled() async throws {
    let provider = FakeProvider()
    let signIn = SignIn(
      FakeProvider.target(), account: SourceAccount(accountId: nil, identity: nil), cache: cache, http: provider,
      clock: provider.clock)
    let isShown = Semaphore()
    let task = Task {
      try await signIn.withDeviceCode { _ in
        isShown.signal()
        return true
      }
    }
    await Task.detached { isShown.wait() }.value
    task.cancel()
    #expect(await signInFailure { try await task.value }?.kind == .canceled)
    #expect(try cache.signIns().isEmpty)
  }
}
