import Cryptography
import HTTP
import JSON
import SourceProtocol
import Support
import Tenancy
import TenantService

/// An OpenID Connect provider in the shapes of Microsoft Entra (v2.0), for the users of one tenant.
package final class IdentityProvider: Sendable {
  let settings: DevelopmentSettings
  let grants = Grants()
  let clock: any Clock
  private let signer: TokenSigner
  private let served: ServedTenant
  /// Gets a line about each sign-in.
  let log: @Sendable (String) -> Void

  package init(
    _ settings: DevelopmentSettings, _ signer: TokenSigner, _ served: ServedTenant, clock: any Clock = SystemClock(),
    log: @escaping @Sendable (String) -> Void
  ) {
    (self.settings, self.signer, self.served, self.clock, self.log) = (settings, signer, served, clock, log)
  }

  /// What the tokens of this provider may be for: hosts, Graph on this origin, and the names that the real ones have.
  package static func audiences(of origin: String) -> [String] {
    [DevelopmentSettings.resourceId, origin, "https://graph.microsoft.com", "https://msmamservice.api.application"]
  }

  /// What a client may name as the resource of a token.
  private static func resources(of origin: String) -> [String] {
    [DevelopmentSettings.resource] + audiences(of: origin)
  }

  /// `nil` for a request that is not for the provider. `outcome` says how a sign-in at the token endpoint ends; `nil`
  /// for one that succeeds. It is asked only when it would.
  func response(to request: HTTPRequest, outcome: () -> FaultKind? = { nil }) async -> HTTPResponse? {
    guard let route = SignInRoute(request.url) else { return nil }
    guard route.methods.contains(request.method) else {
      return HTTPResponse(405, headers: HTTPHeaders(["Allow": route.methods.joined(separator: ", ")]))
    }
    do {
      return try answer(route, request, outcome)
    } catch let error as EntraError {
      return route.isPage ? page(error) : error.response(at: clock.now)
    } catch {
      log("cryptography failed: \(error)")
      return HTTPResponse(500)
    }
  }

  private func answer(
    _ route: SignInRoute, _ request: HTTPRequest, _ outcome: () -> FaultKind?
  ) throws -> HTTPResponse {
    if let tenant = route.tenant { try check(tenant) }
    let fields = try request.method == "POST" ? FormFields(body: request) : FormFields(query: request)
    switch route {
    case .discovery(let tenant): return object(discovery(tenant))
    case .keys: return object(["keys": [.object(signer.published)]])
    case .instance: return object(instance)
    case .token: return object(try token(fields, outcome))
    case .deviceCode: return object(try deviceCode(fields))
    case .authorize: return try authorize(fields, isChoice: request.method == "POST", at: request.url)
    case .deviceLogin: return try deviceLogin(fields, isChoice: request.method == "POST")
    case .logOut: return try logOut(fields)
    case .home: return PageFile.response("index.html") ?? HTTPResponse(404)
    case .pageFile(let name): return PageFile.response(name) ?? HTTPResponse(404)
    }
  }

  private func object(_ object: JSONObject) -> HTTPResponse { HTTPResponse(200, json: Array(object.jsonText.utf8)) }
}

// MARK: - The tenant

extension IdentityProvider {
  private static let common: Set<String> = ["common", "organizations"]

  /// Throws while there is no tenant, which is only for an instant.
  var edition: TenantEdition {
    get throws(EntraError) {
      guard let edition = served.edition else {
        throw EntraError("temporarily_unavailable", 90033, "The tenant cannot be read at the moment.", status: 503)
      }
      return edition
    }
  }

  private func check(_ tenant: String) throws(EntraError) {
    let name = tenant.lowercasedASCII
    guard !Self.common.contains(name) else { return }
    guard name == (try edition.tenantId) else { throw .noTenant }
  }

  /// Somebody who may sign in, by object id, user principal name, or the part of it before the `@`.
  func user(_ name: String) throws(EntraError) -> TenantUser {
    let edition = try edition
    let short = edition.tenant.users.first {
      $0.userPrincipalName.lowercasedASCII.hasPrefix(name.lowercasedASCII + "@")
    }
    guard let user = edition.user(name) ?? short, !user.isDeleted else { throw EntraError.noUser }
    guard user.isEnabled else { throw EntraError.disabled }
    return user
  }
}

// MARK: - What it says about itself

extension IdentityProvider {
  private var host: String { settings.origin.split(separator: "/").last.map(String.init) ?? "" }

  package func issuer(of tenant: String) -> String { "\(settings.origin)/\(tenant)/v2.0" }

  private func discovery(_ tenant: String) -> JSONObject {
    let isCommon = Self.common.contains(tenant.lowercasedASCII)
    let base = "\(settings.origin)/\(tenant)"
    return [
      DevelopmentMark.member: true,
      "issuer": .string(issuer(of: isCommon ? "{tenantid}" : tenant.lowercasedASCII)),
      "authorization_endpoint": .string(base + "/oauth2/v2.0/authorize"),
      "token_endpoint": .string(base + "/oauth2/v2.0/token"),
      "device_authorization_endpoint": .string(base + "/oauth2/v2.0/devicecode"),
      "end_session_endpoint": .string(base + "/oauth2/v2.0/logout"),
      "jwks_uri": .string(base + "/discovery/v2.0/keys"),
      "response_types_supported": ["code"], "response_modes_supported": ["query", "fragment", "form_post"],
      "subject_types_supported": ["pairwise"], "id_token_signing_alg_values_supported": ["RS256"],
      "scopes_supported": ["openid", "profile", "email", "offline_access"],
      "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"],
      "code_challenge_methods_supported": ["S256"],
      "grant_types_supported": [
        "authorization_code", "refresh_token", "client_credentials", "password", .string(TokenGrant.deviceCode),
      ],
      "claims_supported": [
        "sub", "iss", "aud", "exp", "iat", "nonce", "preferred_username", "name", "tid", "oid", "ver",
      ],
    ]
  }

  /// What the libraries of Microsoft ask about hosts that they do not know.
  private var instance: JSONObject {
    [
      "tenant_discovery_endpoint": .string(settings.origin + "/common/v2.0/.well-known/openid-configuration"),
      "api-version": "1.1",
      "metadata": [
        ["preferred_network": .string(host), "preferred_cache": .string(host), "aliases": [.string(host)]]
      ],
    ]
  }
}

// MARK: - Tokens

extension IdentityProvider {
  /// Who sends a request, for a person who looks on; `nil` for nobody who is known.
  func who(_ request: HTTPRequest) -> String? {
    guard let token = request.headers.credentials("Bearer"), let claims = try? signer.claims(of: token) else {
      return nil
    }
    return claims["upn"]?.stringValue ?? "an app"
  }

  /// The same token, as if its life were over; `nil` for one that is not of this provider.
  func expired(_ token: String) -> String? {
    guard var claims = try? signer.claims(of: token) else { return nil }
    claims["exp"] = .integer(clock.now.milliseconds / 1000 - Self.tokenLife)
    return try? signer.token(claims)
  }

  /// In seconds.
  private static let tokenLife: Int64 = 3600
  /// Who an app without a person is.
  private static let appObjectId = "de5c11e7-0000-4000-8000-000000000002"

  func scope(_ fields: FormFields) throws(EntraError) -> RequestedScope {
    try RequestedScope(fields["scope"], known: Self.resources(of: settings.origin), graph: settings.origin)
  }

  /// The answer of the token endpoint for a user. Looks the user up again, who may have been disabled meanwhile.
  func tokens(for grant: Grant, refreshToken: String?) throws -> JSONObject {
    let user = try user(grant.user)
    var access = try claims(for: grant.scope.audience, life: Self.tokenLife)
    for member in personal(user).members { access[member.name] = member.value }
    access["azp"] = .string(DevelopmentSettings.clientId)
    access["azpacr"] = "0"
    access["upn"] = .string(user.userPrincipalName)
    access["scp"] = .string(grant.scope.names.joined(separator: " "))
    if user.groups.contains(where: { $0.lowercasedASCII == DevelopmentSettings.administrators.lowercasedASCII }) {
      access["roles"] = [.string(GraphAdministrators.writeRole)]
    }
    var answer = try self.answer(access, granted: grant.scope.granted)
    if let refreshToken { answer["refresh_token"] = .string(refreshToken) }
    if grant.scope.hasIdToken {
      var claims = try claims(for: DevelopmentSettings.clientId, life: Self.tokenLife)
      for member in personal(user).members { claims[member.name] = member.value }
      if let nonce = grant.nonce { claims["nonce"] = .string(nonce) }
      answer["id_token"] = .string(try signer.token(claims))
    }
    answer["client_info"] = .string(try clientInfo(of: user))
    return answer
  }

  /// By which the libraries of Microsoft name an account.
  func clientInfo(of user: TenantUser) throws(EntraError) -> String {
    let info: JSONObject = ["uid": .string(user.id.lowercasedASCII), "utid": .string(try edition.tenantId)]
    return Base64URL.encode(info.jsonText.utf8)
  }

  /// The answer of the token endpoint for a program.
  func tokensForApp(_ scope: RequestedScope) throws -> JSONObject {
    var claims = try claims(for: scope.audience, life: Self.tokenLife)
    for name in ["oid", "sub"] { claims[name] = .string(Self.appObjectId) }
    claims["azp"] = .string(DevelopmentSettings.clientId)
    claims["azpacr"] = "1"
    claims["idtyp"] = "app"
    claims["roles"] = [.string(GraphAdministrators.writeRole)]
    return try answer(claims, granted: nil)
  }

  private func answer(_ claims: JSONObject, granted: String?) throws -> JSONObject {
    var answer: JSONObject = [
      "token_type": "Bearer", "expires_in": .integer(Self.tokenLife), "ext_expires_in": .integer(Self.tokenLife),
      "access_token": .string(try signer.token(claims)),
    ]
    if let granted { answer["scope"] = .string(granted) }
    return answer
  }

  private func claims(for audience: String, life: Int64) throws(EntraError) -> JSONObject {
    let now = clock.now.milliseconds / 1000
    let tenantId = try edition.tenantId
    return [
      "aud": .string(audience), "iss": .string(issuer(of: tenantId)), "iat": .integer(now), "nbf": .integer(now),
      "exp": .integer(now + life), "tid": .string(tenantId), "uti": .string(.randomUUID), "ver": "2.0",
    ]
  }

  private func personal(_ user: TenantUser) -> JSONObject {
    [
      "oid": .string(user.id.lowercasedASCII), "sub": .string(user.id.lowercasedASCII),
      "name": .string(user.displayName), "preferred_username": .string(user.userPrincipalName),
    ]
  }
}
