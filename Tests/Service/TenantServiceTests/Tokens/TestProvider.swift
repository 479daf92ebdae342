import Cryptography
import HTTP
import JSON
import Support
import TestCertificates

/// An identity provider whose keys and answers a test chooses.
final class TestProvider: HTTPClient {
  struct Answers: Sendable {
    var issuer = TestProvider.issuer
    var keysURL = "\(TestProvider.issuer)/keys"
    var keys: JSONValue = .null
    /// Whether the provider can be reached.
    var isUp = true
    var status = 200
    /// Members of the discovery document besides issuer and address of the keys.
    var more = JSONObject()
    /// The requests, in order, without the issuer.
    var asked: [String] = []
    /// Held requests wait until `release`.
    var isHeld = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  static let issuer = "https://login.contoso.example/api"
  private let answers: Lock<Answers>

  init(_ keys: JSONValue) {
    var answers = Answers()
    answers.keys = keys
    self.answers = Lock(answers)
  }

  func change(_ body: (inout Answers) -> Void) { answers.withLock { body(&$0) } }

  var asked: [String] { answers.withLock { $0.asked } }
  var keyRequests: Int { asked.count { $0.hasSuffix("/keys") } }
  var waitingCount: Int { answers.withLock { $0.waiting.count } }

  func release() {
    let waiting = answers.withLock { answers in
      defer { (answers.waiting, answers.isHeld) = ([], false) }
      return answers.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  func send(_ request: HTTPRequest, patience: Duration, largestBody: Int) async throws(HTTPFailure) -> HTTPResponse {
    let path = String(request.url.dropFirst(Self.issuer.count))
    let isHeld = answers.withLock { answers in
      answers.asked.append(path)
      return answers.isHeld
    }
    if isHeld { await withCheckedContinuation { waiting in answers.withLock { $0.waiting.append(waiting) } } }
    let current = answers.withLock { $0 }
    guard current.isUp else { throw HTTPFailure(.cannotConnect, "nothing listens there") }
    var document: JSONObject = ["issuer": .string(current.issuer), "jwks_uri": .string(current.keysURL)]
    for member in current.more.members { document[member.name] = member.value }
    let body = path == "/.well-known/openid-configuration" ? .object(document) : current.keys
    return HTTPResponse(current.status, body: Array(body.jsonText.utf8))
  }
}

/// Makes tokens.
struct TestTokens {
  let name: String
  let algorithm: SignatureAlgorithm
  let key: TestKey

  init(_ name: String, _ algorithm: SignatureAlgorithm = .es256) throws {
    self.name = name
    self.algorithm = algorithm
    key = try TestKey(algorithm == .es256 ? .p256 : .rsa(bits: 2048))
  }

  static let now = Timestamp("2026-05-28T10:00:00Z") ?? Timestamp(milliseconds: 0)
  static var seconds: Int64 { now.milliseconds / 1000 }
  static let tenant = "72f988bf-0000-4000-8000-2d7cd011db47"

  static var claims: JSONObject {
    [
      "iss": .string(TestProvider.issuer), "aud": "https://mam.contoso.example", "exp": .integer(seconds + 3600),
      "nbf": .integer(seconds), "iat": .integer(seconds), "tid": .string(tenant),
      "oid": "a11ce000-0000-4000-8000-000000000001", "scp": "mam openid", "roles": ["Reader"],
    ]
  }

  var header: JSONObject { ["alg": .string(algorithm.rawValue), "typ": "JWT", "kid": .string(name)] }

  /// The key as a provider publishes it.
  func published(_ change: (inout JSONObject) -> Void = { _ in }) throws -> JSONValue {
    var object: JSONObject = ["kty": algorithm == .es256 ? "EC" : "RSA", "kid": .string(name), "use": "sig"]
    if algorithm == .es256 { object["crv"] = "P-256" }
    for (name, number) in try key.publicNumbers() { object[name] = .string(Base64URL.encode(number)) }
    change(&object)
    return .object(object)
  }

  func token(_ claims: JSONObject = claims, header: JSONObject? = nil) throws -> String {
    try token(JSONValue.object(header ?? self.header).jsonText, JSONValue.object(claims).jsonText)
  }

  func token(_ change: (inout JSONObject) -> Void) throws -> String {
    var claims = Self.claims
    change(&claims)
    return try token(claims)
  }

  func headed(_ change: (inout JSONObject) -> Void) throws -> String {
    var header = header
    change(&header)
    return try token(header: header)
  }

  func token(_ header: String, _ claims: String) throws -> String {
    let signed = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(claims.utf8))
    return signed + "." + Base64URL.encode(try key.signature(of: Array(signed.utf8), by: algorithm))
  }
}
