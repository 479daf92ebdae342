import HTTP
import JSON
import SourceProtocol
import Support
import Testing

@testable import Development

@Suite struct SignInOutcomeTests {
  /// What an app gets: `error`, `suberror` and the number of Entra; all `nil` for a token.
  struct Said: Equatable {
    var error: String?
    var suberror: String?
    var number: Int64?

    init(_ error: String? = nil, _ suberror: String? = nil, _ number: Int64? = nil) {
      (self.error, self.suberror, self.number) = (error, suberror, number)
    }

    init(_ answer: JSONValue) {
      self.init(
        answer["error"]?.stringValue, answer["suberror"]?.stringValue,
        answer["error_codes"]?.arrayValue?.first?.integerValue)
    }
  }

  @Test(
    "A planted fault at the token endpoint ends each sign-in flow with the error of Entra",
    arguments: [
      ("code", FaultKind.disabled, Said("invalid_grant", nil, 50057)),
      ("code", .mfaRequired, Said("invalid_grant", "basic_action", 50076)),
      ("code", .consentRequired, Said("invalid_grant", "consent_required", 65001)),
      ("code", .expired, Said("invalid_grant", nil, 70008)), ("code", .otherUser, Said()),
      ("device", .disabled, Said("invalid_grant", nil, 50057)),
      ("device", .mfaRequired, Said("invalid_grant", "basic_action", 50076)),
      ("device", .consentRequired, Said("invalid_grant", "consent_required", 65001)),
      ("device", .expired, Said("expired_token", nil, 70019)), ("device", .otherUser, Said()),
      ("refresh", .disabled, Said("invalid_grant", nil, 50057)),
      ("refresh", .mfaRequired, Said("invalid_grant", "basic_action", 50076)),
      ("refresh", .consentRequired, Said("invalid_grant", "consent_required", 65001)),
      ("refresh", .expired, Said("invalid_grant", "bad_token", 700_082)), ("refresh", .otherUser, Said()),
      ("password", .disabled, Said("invalid_grant", nil, 50057)),
      ("password", .mfaRequired, Said("invalid_grant", "basic_action", 50076)),
      ("password", .consentRequired, Said("invalid_grant", "consent_required", 65001)),
      ("password", .expired, Said("invalid_grant", "user_password_expired", 50055)), ("password", .otherUser, Said()),
    ])
  func planted(flow: String, kind: FaultKind, said: Said) async throws {
    let world = try await World()
    let refresh = try #require(await world.redeem(world.code())["refresh_token"]?.stringValue)
    let device = try await world.deviceCode(choosing: "alice@contoso.example")
    let code = try await world.code()
    var asked = 0
    let outcome = { () -> FaultKind? in
      asked += 1
      return kind
    }
    let fields: [(name: String, value: String)] =
      switch flow {
      case "code":
        [
          ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", World.redirect),
          ("code_verifier", World.verifier),
        ]
      case "device": [("grant_type", TokenGrant.deviceCode), ("device_code", device)]
      case "refresh": [("grant_type", "refresh_token"), ("refresh_token", refresh)]
      default:
        [
          ("grant_type", "password"), ("username", "alice"), ("password", "secret"),
          ("scope", "api://mambridge/.default"),
        ]
      }
    let answer = try await world.ask("token", fields, outcome: outcome).1
    #expect(Said(answer) == said)
    #expect(asked == 1)
    #expect((answer["claims"] != nil) == (kind == .mfaRequired))
    if kind == .otherUser {
      let token = try #require(answer["access_token"]?.stringValue)
      #expect(try await world.caller(token).get().claims["upn"] == "bob@contoso.example")
    }
    // A refresh that failed has not used the token up.
    if flow == "refresh", kind != .otherUser { #expect(Said(try await world.refresh(refresh)) == Said()) }
  }

  @Test("A planted sign-in fault does not affect client credentials or a pending device code")
  func untouched() async throws {
    let world = try await World()
    let app = [
      (name: "grant_type", value: "client_credentials"), (name: "client_secret", value: "secret"),
      (name: "scope", value: "api://mambridge/.default"),
    ]
    #expect(Said(try await world.ask("token", app, outcome: { .mfaRequired }).1) == Said())
    let (_, device) = try await world.ask("devicecode", [("scope", "api://mambridge/.default")])
    let poll = [
      (name: "grant_type", value: TokenGrant.deviceCode),
      (name: "device_code", value: try #require(device["device_code"]?.stringValue)),
    ]
    #expect(Said(try await world.ask("token", poll, outcome: { .mfaRequired }).1).error == "authorization_pending")
  }

  @Test(
    "An outcome chosen on the sign-in page ends the sign-in, in the browser or by device code",
    arguments: [
      (FaultKind.mfaRequired, "error=interaction_required", Said("invalid_grant", "basic_action", 50076)),
      (.consentRequired, "error=consent_required", Said("invalid_grant", "consent_required", 65001)),
      (.expired, "code=", Said("expired_token", nil, 70019)),
      (.disabled, "", Said("invalid_grant", nil, 50057)),
    ])
  func chosen(kind: FaultKind, led: String, said: Said) async throws {
    let world = try await World()
    let (response, _) = try await world.authorize("alice", outcome: kind.rawValue)
    #expect(response.headers["Location"]?.contains(led) ?? led.isEmpty)
    if kind == .disabled { #expect(String(decoding: response.body, as: UTF8.self).contains("AADSTS50057")) }
    if kind == .expired {
      let code = try #require(World.code(in: response))
      #expect(Said(try await world.redeem(code)) == Said("invalid_grant", nil, 70008))
    }
    let device = try await world.deviceCode(choosing: "alice@contoso.example", outcome: kind.rawValue)
    let poll = [(name: "grant_type", value: TokenGrant.deviceCode), (name: "device_code", value: device)]
    #expect(Said(try await world.ask("token", poll).1) == said)
  }
}
