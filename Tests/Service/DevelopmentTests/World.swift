import Database
import HTTP
import JSON
import SourceProtocol
import Support
import Tenancy
import TenantService
import TestSupport
import Testing

@testable import Development

/// The provider of a new development tenant, with a clock that tests move.
final class World {
  static let origin = "https://127.0.0.1:8480"
  static let redirect = "http://localhost:5000"
  /// Of RFC 7636, appendix B.
  static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
  static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

  let folder = TemporaryFolder(inMemory: true)
  let clock = ManualClock(startingAt: Timestamp(milliseconds: 1_800_000_000_000))
  let served: ServedTenant
  let provider: IdentityProvider
  private let signer: TokenSigner

  init() async throws {
    let store = try await TenantStore(SQLiteDatabase(path: folder.file("store.sqlite")))
    served = ServedTenant(store, limit: nil)
    signer = try TokenSigner()
    let settings = DevelopmentSettings(origin: Self.origin, secret: "secret", redirects: try RegisteredRedirects())
    provider = IdentityProvider(settings, signer, served, clock: clock) { _ in }
    for (name, text) in SampleFolder.files() { folder.write(text, to: "tenant/" + name) }
    await load()
  }

  func load() async {
    _ = await served.follow(TenantFolderWatch(path: folder.file("tenant")), at: clock.now)
  }

  var tenantId: String { served.edition?.tenantId ?? "" }

  func ask(
    _ path: String, _ fields: [(name: String, value: String)], outcome: () -> FaultKind? = { nil }
  ) async throws -> (HTTPResponse, JSONValue) {
    let client = [(name: "client_id", value: DevelopmentSettings.clientId)]
    let request = HTTPRequest.form("/\(tenantId)/oauth2/v2.0/\(path)", client + fields)
    let response = try #require(await provider.response(to: request, outcome: outcome))
    return (response, (try? JSONValue(parsing: response.body)) ?? .null)
  }

  /// Somebody chooses a user on the page, and how the sign-in ends.
  func authorize(_ user: String, outcome: String = "") async throws -> (HTTPResponse, JSONValue) {
    try await ask(
      "authorize",
      [
        ("response_type", "code"), ("redirect_uri", Self.redirect),
        ("scope", "api://mambridge/.default offline_access"),
        ("code_challenge", Self.challenge), ("code_challenge_method", "S256"), ("user", user), ("secret", "secret"),
        ("outcome", outcome),
      ])
  }

  /// The code of somebody who chooses a user.
  func code(_ user: String = "alice") async throws -> String {
    try #require(Self.code(in: await authorize(user).0))
  }

  static func code(in response: HTTPResponse) -> String? {
    response.headers["Location"].flatMap { place in
      HTTPTarget(String(place.dropFirst(redirect.count).replacing("?", with: "/?")))?["code"]
    }
  }

  /// A device code for which somebody has chosen a user.
  func deviceCode(choosing user: String, outcome: String = "") async throws -> String {
    let (_, device) = try await ask("devicecode", [("scope", "api://mambridge/.default")])
    let code = try #require(device["user_code"]?.stringValue)
    let form = [
      (name: "otc", value: code), (name: "user", value: user), (name: "secret", value: "secret"),
      (name: "outcome", value: outcome),
    ]
    _ = await provider.response(to: HTTPRequest.form("/devicelogin", form))
    return try #require(device["device_code"]?.stringValue)
  }

  func redeem(_ code: String) async throws -> JSONValue {
    try await ask(
      "token",
      [
        ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", Self.redirect),
        ("code_verifier", Self.verifier),
      ]
    ).1
  }

  func refresh(_ token: String) async throws -> JSONValue {
    try await ask("token", [("grant_type", "refresh_token"), ("refresh_token", token)]).1
  }

  /// Accepts what the provider signs, as the service of the tenant does.
  func caller(
    _ token: String, audience: String = DevelopmentSettings.resourceId
  ) async -> Result<Caller, TokenRefusal> {
    let rules = TokenRules(issuer: provider.issuer(of: tenantId), audiences: [audience], tenantId: tenantId)
    do throws(TokenRefusal) {
      return .success(try await DevelopmentTokens(signer, rules).caller(of: token, at: clock.now))
    } catch {
      return .failure(error)
    }
  }
}
