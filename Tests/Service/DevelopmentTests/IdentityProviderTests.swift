import Cryptography
import HTTP
import JSON
import Support
import TenantService
import Testing

@testable import Development

@Suite struct IdentityProviderTests {
  @Test("An access token of mambridge-tenant dev is valid for an hour, only for its audience and run")
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

  @Test("Authorization codes expire after 10 minutes and device codes after 15")
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

  @Test(
    "A client may send its secret in the Authorization header instead of the form",
    arguments: [
      ("CLIENT:secret", 200), ("CLIENT:%73ecret", 200), ("CLIENT:wrong", 401), ("CLIENT:", 401), ("other:secret", 400),
      ("CLIENT", 400), ("CLIENT:secret&scope=openid", 400),
    ])
  func basic(client: String, status: Int) async throws {
    let world = try await World()
    let text = Array(client.replacing("CLIENT", with: DevelopmentSettings.clientId).utf8)
    let padding = String(repeating: "=", count: (3 - text.count % 3) % 3)
    let form = [
      (name: "grant_type", value: "client_credentials"), (name: "scope", value: "api://mambridge/.default"),
    ]
    for repeated in [[], [(name: "client_id", value: DevelopmentSettings.clientId)]] {
      var request = HTTPRequest.form("/\(world.tenantId)/oauth2/v2.0/token", form + repeated)
      request.headers["Authorization"] = "Basic " + Base64URL.encode(text) + padding
      #expect(await world.provider.response(to: request)?.status == status)
    }
  }

  @Test("A user disabled or removed after the sign-in gets no further token")
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

  @Test("At most 200 device codes are pending, and a new one replaces the oldest")
  func bound() async throws {
    let world = try await World()
    let (_, first) = try await world.ask("devicecode", [("scope", "openid")])
    let oldest = try #require(first["user_code"]?.stringValue)
    #expect(world.provider.grants.pending(oldest, at: world.clock.now) != nil)
    for _ in 1...200 { _ = try await world.ask("devicecode", [("scope", "openid")]) }
    #expect(world.provider.grants.pending(oldest, at: world.clock.now) == nil)
  }

  @Test("The sample tenant of mambridge-tenant dev has no findings and gets new ids in each run")
  func sample() async throws {
    let (one, other) = (try await World(), try await World())
    #expect(one.tenantId != other.tenantId)
    #expect(one.served.problem == nil)
    let tenant = try #require(one.served.edition?.tenant)
    #expect(tenant.users.map(\.displayName) == ["Alice Adams", "Bob Brown", "Carol Clark", "Erin Evans"])
    #expect(tenant.users.map(\.isEnabled) == [true, true, false, true])
    #expect(tenant.fileFindings.isEmpty)
  }
}
