import Cryptography
import HTTP
import JSON
import ServiceSource
import SourceProtocol
import Support
import TestSupport
import Testing

@testable import SignIn

/// An identity provider in memory, whose refresh tokens are good once. The token endpoint first gives the answers of a
/// list, and then tokens.
final class FakeProvider: HTTPClient {
  enum Answer: Sendable {
    case json(Int, JSONValue)
    case empty(Int)
    case response(HTTPResponse)
    case failure(HTTPFailure.Kind)

    static func error(_ code: String, _ description: String = "", _ more: JSONObject = [:], status: Int = 400) -> Answer
    {
      var object: JSONObject = ["error": .string(code), "error_description": .string(description)]
      for member in more.members { object[member.name] = member.value }
      return .json(status, .object(object))
    }
  }

  struct State {
    var tokenAnswers: [Answer] = []
    var deviceAnswer: Answer?
    var document: JSONObject
    var revocation = Answer.empty(200)
    /// What tokens claim, beside the number of the token.
    var claims: JSONObject = ["oid": "A11CE", "tid": "TENANT", "upn": "alice@contoso.example"]
    var members: JSONObject = ["expires_in": 3600, "token_type": "Bearer"]
    var hasRefreshTokens = true
    var forms: [(path: String, fields: [String: String])] = []
    var documents = 0
    var count = 0
    var current: String?
    var reused = 0
    var sleeps: [Duration] = []
  }

  static let issuer = "https://login.example/tenant"
  static let deviceCode: JSONObject = [
    "device_code": "secret-device-code", "user_code": "ABCD-EFGH", "verification_uri": "https://login.example/device",
    "expires_in": 900, "interval": 5,
  ]
  static let start = Timestamp(milliseconds: 1_790_000_000_000)

  let clock = ManualClock(startingAt: start)
  let state: Lock<State>

  init(_ tokenAnswers: [Answer] = []) {
    var document: JSONObject = ["issuer": .string(Self.issuer), "scopes_supported": ["openid", "offline_access"]]
    for (name, path) in [
      ("token_endpoint", "token"), ("device_authorization_endpoint", "device"), ("revocation_endpoint", "revoke"),
    ] { document[name] = .string("\(Self.issuer)/\(path)") }
    state = Lock(State(tokenAnswers: tokenAnswers, document: document))
  }

  func send(
    _ request: HTTPRequest, patience: Duration, largestBody: Int
  ) async throws(HTTPFailure) -> HTTPResponse {
    // Another sign-in may come in between.
    await Task.yield()
    switch state.withLock({ answer(request, &$0) }) {
    case .json(let status, let value): return HTTPResponse(status, body: Array(value.jsonText.utf8))
    case .empty(let status): return HTTPResponse(status)
    case .response(let response): return response
    case .failure(let kind): throw HTTPFailure(kind, "as the test wants it")
    }
  }

  private func answer(_ request: HTTPRequest, _ state: inout State) -> Answer {
    if request.url == Self.issuer + "/.well-known/openid-configuration" {
      state.documents += 1
      return .json(200, .object(state.document))
    }
    let path = request.url.split(separator: "/").last.map(String.init) ?? ""
    let fields = Self.fields(request)
    state.forms.append((path, fields))
    switch path {
    case "device", "devicecode": return state.deviceAnswer ?? .json(200, .object(Self.deviceCode))
    case "revoke": return state.revocation
    case "token":
      if !state.tokenAnswers.isEmpty { return state.tokenAnswers.removeFirst() }
      if let used = fields["refresh_token"], used != state.current {
        state.reused += 1
        return .error("invalid_grant", "the refresh token was used before")
      }
      return tokens(&state)
    default: return .empty(404)
    }
  }

  private func tokens(_ state: inout State) -> Answer {
    state.count += 1
    var object = state.members
    object["access_token"] = .string(Self.jwt(state.claims, state.count))
    if state.hasRefreshTokens {
      state.current = "refresh\(state.count)"
      object["refresh_token"] = state.current.map(JSONValue.string)
    }
    return .json(200, .object(object))
  }

  static func jwt(_ claims: JSONObject, _ number: Int) -> String {
    var claims = claims
    claims["number"] = .integer(Int64(number))
    let parts = [#"{"alg":"RS256"}"#, JSONValue.object(claims).jsonText, "signature"]
    return parts.map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
  }

  private static func fields(_ request: HTTPRequest) -> [String: String] {
    guard let target = HTTPTarget("/?" + String(decoding: request.body, as: UTF8.self)) else { return [:] }
    return Dictionary(target.query.map { ($0.name, $0.value) }) { first, _ in first }
  }

  func forms(_ path: String) -> [[String: String]] {
    state.withLock { $0.forms }.filter { $0.path == path }.map(\.fields)
  }
}

extension FakeProvider {
  static let scopes = ["api://mambridge/.default"]

  static func target(resource: String? = nil, service: String? = "https://mam.example") -> SignInTarget {
    SignInTarget(issuer, clientId: "client", scopes: scopes, resource: resource, service: service)
  }

  /// Sleeps only move the clock.
  func signIn(
    _ cache: TokenCache, account: String? = nil, id: String? = nil, _ target: SignInTarget = target()
  ) -> SignIn {
    SignIn(
      target, account: SourceAccount(accountId: id, identity: account), cache: cache, http: self, clock: clock
    ) { [self] time in
      clock.advance(byMilliseconds: time.components.seconds * 1000)
      state.withLock { $0.sleeps.append(time) }
    }
  }
}

/// The failure of a body; records an issue if there is none.
func signInFailure<Value>(_ body: () async throws -> Value) async -> SignInFailure? {
  do {
    _ = try await body()
    Issue.record("there was no failure")
  } catch let failure as SignInFailure {
    return failure
  } catch {
    Issue.record("another error: \(error)")
  }
  return nil
}
