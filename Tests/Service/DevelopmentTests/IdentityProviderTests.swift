import Database
import HTTP
import JSON
import Support
import Tenancy
import TenantService
import TestSupport
import Testing

@testable import Development

/// The provider of a new development tenant, with a clock that tests move.
private final class World {
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

  func ask(_ path: String, _ fields: [(name: String, value: String)]) async throws -> (HTTPResponse, JSONValue) {
    let client = [(name: "client_id", value: DevelopmentSettings.clientId)]
    let request = HTTPRequest.form("/\(tenantId)/oauth2/v2.0/\(path)", client + fields)
    let response = try #require(await provider.response(to: request))
    return (response, (try? JSONValue(parsing: response.body)) ?? .null)
  }

  /// The code of somebody who chooses a user.
  func code(_ user: String = "alice") async throws -> String {
    let (response, _) = try await ask(
      "authorize",
      [
        ("response_type", "code"), ("redirect_uri", Self.redirect),
        ("scope", "api://mambridge/.default offline_access"),
        ("code_challenge", Self.challenge), ("code_challenge_method", "S256"), ("user", user), ("secret", "secret"),
      ])
    let place = try #require(response.headers["Location"])
    return try #require(HTTPTarget(String(place.dropFirst(Self.redirect.count).replacing("?", with: "/?")))?["code"])
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
  func caller(_ token: String, audience: String = "api://mambridge") async -> Result<Caller, TokenRefusal> {
    let rules = TokenRules(issuer: provider.issuer(of: tenantId), audiences: [audience], tenantId: tenantId)
    do throws(TokenRefusal) {
      return .success(try await DevelopmentTokens(signer, rules).caller(of: token, at: clock.now))
    } catch {
      return .failure(error)
    }
  }
}

@Suite struct IdentityProviderTests {
  @Test("a token counts for an hour at its audience, and an identity token never")
  func life() async throws {
    let world = try await World()
    let token = try #require(await world.redeem(world.code())["access_token"]?.stringValue)
    #expect(try await world.caller(token).get().objectId == world.served.edition?.user("alice@contoso.example")?.id)
    #expect(
      await world.caller(token, audience: DevelopmentSettings.clientId) == .failure(TokenFault.wrongAudience.refusal))
    world.clock.advance(byMilliseconds: 3_661_000)
    #expect(await world.caller(token) == .failure(TokenFault.expired.refusal))
    // Of another run.
    #expect(try await World().caller(token) == .failure(TokenFault.unknownKey.refusal))
  }

  @Test("an authorization code and a device code expire")
  func expiry() async throws {
    let world = try await World()
    let code = try await world.code()
    let (_, device) = try await world.ask("devicecode", [("scope", "api://mambridge/.default")])
    world.clock.advance(byMilliseconds: 600_000)
    #expect(try await world.redeem(code)["error_codes"] == [70008])
    world.clock.advance(byMilliseconds: 300_000)
    let poll = [
      (name: "grant_type", value: TokenGrant.deviceCode),
      (name: "device_code", value: try #require(device["device_code"]?.stringValue)),
    ]
    #expect(try await world.ask("token", poll).1["error"] == "expired_token")
    #expect(try await world.ask("token", poll).1["error"] == "bad_verification_code")
  }

  @Test("who is disabled or removed after the sign-in gets no other token")
  func disabled() async throws {
    let world = try await World()
    let first = try #require(await world.redeem(world.code("alice"))["refresh_token"]?.stringValue)
    let second = try #require(await world.redeem(world.code("bob"))["refresh_token"]?.stringValue)
    let alice = try #require(world.served.edition?.user("alice@contoso.example")?.id)
    world.folder.write(
      """
      {"tenantId": "\(world.tenantId)", "users": [
        {"id": "\(alice)", "userPrincipalName": "alice@contoso.example", "accountEnabled": false},
        {"userPrincipalName": "erin@contoso.example"}]}
      """, to: "tenant/tenant.json")
    await world.load()
    #expect(try await world.refresh(first)["error_codes"] == [50057])
    #expect(try await world.refresh(second)["error_codes"] == [50034])
  }

  @Test("the number of device codes that anybody may ask for is bounded, and the oldest goes")
  func bound() async throws {
    let world = try await World()
    let (_, first) = try await world.ask("devicecode", [("scope", "openid")])
    let oldest = try #require(first["user_code"]?.stringValue)
    #expect(world.provider.grants.pending(oldest, at: world.clock.now) != nil)
    for _ in 1...200 { _ = try await world.ask("devicecode", [("scope", "openid")]) }
    #expect(world.provider.grants.pending(oldest, at: world.clock.now) == nil)
  }

  @Test("the sample tenant has no finding, and its ids are new each time")
  func sample() async throws {
    let (one, other) = (try await World(), try await World())
    #expect(one.tenantId != other.tenantId && one.served.problem == nil)
    let tenant = try #require(one.served.edition?.tenant)
    #expect(tenant.users.map(\.displayName) == ["Alice Adams", "Bob Brown", "Carol Clark", "Erin Evans"])
    #expect(tenant.users.map(\.isEnabled) == [true, true, false, true])
    #expect(tenant.fileFindings.isEmpty)
  }
}
