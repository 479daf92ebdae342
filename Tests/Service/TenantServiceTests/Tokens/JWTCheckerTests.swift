import Cryptography
import HTTP
import JSON
import Support
import TestCertificates
import Testing

@testable import TenantService

/// A token that is refused, and why.
struct RefusedToken: CustomTestStringConvertible, Sendable {
  let name: String
  let fault: TokenFault
  /// Gets the keys `rsa` and `ec`, which the provider publishes.
  let make: @Sendable (_ rsa: TestTokens, _ ec: TestTokens) throws -> String
  var testDescription: String { name }

  private static func claims(
    _ name: String, _ fault: TokenFault, _ change: @escaping @Sendable (inout JSONObject) -> Void
  ) -> RefusedToken {
    RefusedToken(name: name, fault: fault) { _, ec in try ec.token(change) }
  }

  private static func header(
    _ name: String, _ fault: TokenFault, _ change: @escaping @Sendable (inout JSONObject) -> Void
  ) -> RefusedToken {
    RefusedToken(name: name, fault: fault) { _, ec in try ec.headed(change) }
  }

  private static func text(
    _ name: String, _ fault: TokenFault, _ make: @escaping @Sendable (String) -> String
  ) -> RefusedToken {
    RefusedToken(name: name, fault: fault) { _, ec in make(try ec.token()) }
  }

  static let all = forms + headers + forgeries + claims + times

  private static let forms = [
    text("an empty text", .notThreeParts) { _ in "" },
    text("a token of 1 MiB", .tooLarge) { _ in String(repeating: "a", count: 1 << 20) },
    RefusedToken(name: "a signed token of 40 KiB", fault: .tooLarge) { _, ec in
      try ec.token { $0["groups"] = .string(String(repeating: "a", count: 30_000)) }
    },
    text("two parts", .notThreeParts) { $0.split(separator: ".").prefix(2).joined(separator: ".") },
    text("five parts, as of an encrypted token", .notThreeParts) { $0 + ".AA.AA" },
    text("a space before it", .headerNotReadable) { " " + $0 },
    text("a line break after it", .signatureNotReadable) { $0 + "\n" },
    text("padding after the signature", .signatureNotReadable) { $0 + "==" },
    text("no signature", .signatureNotReadable) { $0.split(separator: ".").prefix(2).joined(separator: ".") + "." },
    text("characters of base64 that base64url does not have", .signatureNotReadable) { token in
      token.split(separator: ".").prefix(2).joined(separator: ".") + "." + String(repeating: "+/", count: 43)
    },
    RefusedToken(name: "a header that is not an object", fault: .headerNotReadable) { _, ec in
      try ec.token("[]", "{}")
    },
    RefusedToken(name: "a header with two algorithms", fault: .headerNotReadable) { _, ec in
      try ec.token(#"{"alg":"ES256","alg":"none","kid":"ec"}"#, "{}")
    },
    RefusedToken(name: "a header that is not JSON", fault: .headerNotReadable) { _, ec in
      try ec.token(#"{"alg":"ES256","kid":"ec""#, "{}")
    },
    RefusedToken(name: "claims that are not an object", fault: .claimsNotReadable) { _, ec in
      try ec.token(ec.headerText, "7")
    },
    RefusedToken(name: "claims with two audiences of one name", fault: .claimsNotReadable) { _, ec in
      try ec.token(ec.headerText, #"{"aud":"https://mam.contoso.example","aud":"other"}"#)
    },
  ]

  private static let headers = [
    header("no algorithm", .unknownAlgorithm) { $0["alg"] = nil },
    header("the algorithm none", .unknownAlgorithm) { $0["alg"] = "none" },
    header("the algorithm None", .unknownAlgorithm) { $0["alg"] = "None" },
    header("the algorithm es256", .unknownAlgorithm) { $0["alg"] = "es256" },
    header("an algorithm that is a number", .unknownAlgorithm) { $0["alg"] = 256 },
    header("crit", .forbiddenHeader) { $0["crit"] = ["exp"] },
    header("an empty crit", .forbiddenHeader) { $0["crit"] = [] },
    header("b64 with crit", .forbiddenHeader) { ($0["b64"], $0["crit"]) = (false, ["b64"]) },
    header("jku", .forbiddenHeader) { $0["jku"] = "https://attacker.example/keys" },
    header("a key of a development tenant", .development) { $0["kid"] = "development-ec" },
    header("x5u", .forbiddenHeader) { $0["x5u"] = "https://attacker.example/certificate" },
    header("no kid", .noKeyName) { $0["kid"] = nil },
    header("an empty kid", .noKeyName) { $0["kid"] = "" },
    header("a kid that is a number", .noKeyName) { $0["kid"] = 1 },
    header("an unknown kid", .unknownKey) { $0["kid"] = "../ec" },
    header("the kid of a key for encryption", .unknownKey) { $0["kid"] = "encryption" },
    header("the kid of another key", .wrongAlgorithm) { $0["kid"] = "rsa" },
    header("another type", .wrongType) { $0["typ"] = "logout+jwt" },
    header("a type that is not a text", .wrongType) { $0["typ"] = ["JWT"] },
  ]

  private static let forgeries = [
    RefusedToken(name: "alg none without a signature", fault: .unknownAlgorithm) { _, ec in
      let parts = try ec.headed { $0["alg"] = "none" }.split(separator: ".")
      return "\(parts[0]).\(parts[1])."
    },
    RefusedToken(name: "HS256 with the public key as the secret", fault: .unknownAlgorithm) { rsa, _ in
      try rsa.forged("HS256") { signed, modulus in try HMACSHA256.authenticate(signed, key: modulus) }
    },
    RefusedToken(name: "RS512 with the right key", fault: .unknownAlgorithm) { rsa, _ in
      try rsa.forged("RS512") { signed, _ in try rsa.key.signature(of: signed, by: .rs256, digest: "SHA512") }
    },
    RefusedToken(name: "SHA-512 under the name of RS256", fault: .wrongSignature) { rsa, _ in
      try rsa.forged("RS256") { signed, _ in try rsa.key.signature(of: signed, by: .rs256, digest: "SHA512") }
    },
    RefusedToken(name: "PS256 with a key that names no algorithm", fault: .wrongAlgorithm) { rsa, _ in
      try rsa.forged("PS256") { signed, _ in try rsa.key.signature(of: signed, by: .ps256) }
    },
    RefusedToken(name: "jwk with the key of the attacker", fault: .forbiddenHeader) { _, ec in
      let attacker = try TestTokens("ec")
      let key = try attacker.published()
      return try attacker.headed { $0["jwk"] = key }
    },
    RefusedToken(name: "the key of the attacker under a known name", fault: .wrongSignature) { _, _ in
      try TestTokens("ec").token()
    },
    RefusedToken(name: "other claims than those that are signed", fault: .wrongSignature) { _, ec in
      let other = try ec.token { $0["oid"] = "b0b00000-0000-4000-8000-000000000002" }.split(separator: ".")
      let parts = try ec.token().split(separator: ".")
      return "\(parts[0]).\(other[1]).\(parts[2])"
    },
    RefusedToken(name: "a signature of ES256 in DER", fault: .wrongSignature) { _, ec in
      try ec.forged("ES256") { signed, _ in
        let raw = try ec.key.signature(of: signed, by: .es256)
        return [0x30, 68, 2, 32] + raw.prefix(32) + [2, 32] + raw.suffix(32)
      }
    },
    RefusedToken(name: "a signature of zeros", fault: .wrongSignature) { _, ec in
      try ec.forged("ES256") { _, _ in [UInt8](repeating: 0, count: 64) }
    },
  ]

  private static let claims = [
    claims("another issuer", .wrongIssuer) { $0["iss"] = "https://login.attacker.example" },
    claims("the issuer with a slash", .wrongIssuer) { $0["iss"] = .string(TestProvider.issuer + "/") },
    claims("no issuer", .wrongIssuer) { $0["iss"] = nil },
    claims("issuers in a list", .wrongIssuer) { $0["iss"] = [.string(TestProvider.issuer)] },
    claims("another audience", .wrongAudience) { $0["aud"] = "https://graph.contoso.example" },
    claims("other audiences", .wrongAudience) { $0["aud"] = ["https://graph.contoso.example", "mam"] },
    claims("no audience", .wrongAudience) { $0["aud"] = nil },
    claims("an audience that is not a text", .wrongAudience) { $0["aud"] = [1] },
    claims("another tenant", .wrongTenant) { $0["tid"] = "00000000-0000-4000-8000-2d7cd011db47" },
    claims("no tenant", .wrongTenant) { $0["tid"] = nil },
    claims("an object id that is no GUID", .objectIdNotGUID) { $0["oid"] = "alice" },
    claims("an object id that is a number", .objectIdNotGUID) { $0["oid"] = 7 },
    claims("a token bound to a key", .boundToKey) { $0["cnf"] = ["jkt": "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2Hg"] },
  ]

  private static let times = [
    claims("no expiry", .noExpiry) { $0["exp"] = nil },
    claims("an expiry that is a text", .noExpiry) { $0["exp"] = "2099-01-01" },
    claims("expired a minute ago", .expired) { $0["exp"] = .integer(TestTokens.seconds - 60) },
    claims("expired a long time ago", .expired) { $0["exp"] = -1e300 },
    claims("valid in two minutes", .notYetValid) { $0["nbf"] = .integer(TestTokens.seconds + 120) },
    claims("issued in two minutes", .notYetValid) { $0["iat"] = .number(Double(TestTokens.seconds) + 60.5) },
    claims("nbf that is not a number", .timesNotReadable) { $0["nbf"] = "now" },
    claims("iat that is null", .timesNotReadable) { $0["iat"] = .null },
  ]
}

extension TestTokens {
  fileprivate var headerText: String { JSONValue.object(header).jsonText }

  /// A token under the name of this key; `sign` gets what is signed, and the modulus if there is one.
  fileprivate func forged(_ algorithm: String, _ sign: ([UInt8], [UInt8]) throws -> [UInt8]) throws -> String {
    var header = header
    header["alg"] = .string(algorithm)
    let parts = [JSONValue.object(header), .object(Self.claims)].map { Base64URL.encode(Array($0.jsonText.utf8)) }
    let signed = parts.joined(separator: ".")
    return signed + "." + Base64URL.encode(try sign(Array(signed.utf8), key.publicNumbers()["n"] ?? []))
  }
}

@Suite struct JWTCheckerTests {
  private let rsa, ec: TestTokens
  private let provider: TestProvider
  private var rules = TokenRules(
    issuer: TestProvider.issuer, audiences: ["https://mam.contoso.example", "api://mam"], tenantId: TestTokens.tenant)

  init() throws {
    (rsa, ec) = (try TestTokens("rsa", .rs256), try TestTokens("ec"))
    let encryption = try TestTokens("encryption").published { $0["use"] = "enc" }
    provider = TestProvider(["keys": [try rsa.published(), encryption, try ec.published(), ["kty": "unknown"]]])
  }

  private func refusal(of token: String, by checker: JWTChecker) async -> TokenRefusal? {
    do throws(TokenRefusal) {
      _ = try await checker.caller(of: token, at: TestTokens.now)
      return nil
    } catch {
      return error
    }
  }

  @Test("Each invalid token is refused for its own reason", arguments: RefusedToken.all)
  func refused(_ row: RefusedToken) async throws {
    let checker = JWTChecker(rules, over: provider)
    #expect(await refusal(of: try row.make(rsa, ec), by: checker) == row.fault.refusal)
    #expect(await refusal(of: try ec.token(), by: checker) == nil)
  }

  @Test("A token's oid is ignored if it is null, or not a GUID while users are matched by another claim")
  func objectIds() async throws {
    var matching = rules
    matching.userClaim = "email"
    let named = try await JWTChecker(matching, over: provider)
      .caller(of: try ec.token { $0["oid"] = "alice" }, at: TestTokens.now)
    #expect(named.objectId == nil)
    #expect(named.claims["oid"] == "alice")
    #expect(named.userClaim == "email")
    let nameless = try await JWTChecker(rules, over: provider)
      .caller(of: try ec.token { $0["oid"] = .null }, at: TestTokens.now)
    #expect(nameless.objectId == nil)
  }

  @Test("Every reason to refuse a token has a test token")
  func reasons() {
    #expect(Set(RefusedToken.all.map(\.fault)) == Set(TokenFault.allCases))
  }

  private static let acceptedClaims: [@Sendable (inout JSONObject) -> Void] = [
    { _ in }, { $0["aud"] = ["other", "api://mam"] }, { ($0["nbf"], $0["iat"]) = (nil, nil) },
    { $0["exp"] = .number(Double(TestTokens.seconds) - 59.5) }, { $0["nbf"] = .integer(TestTokens.seconds + 60) },
    { $0["tid"] = .string(TestTokens.tenant.uppercased()) }, { $0["exp"] = 1e300 },
  ]

  private static let acceptedHeaders: [@Sendable (inout JSONObject) -> Void] = [
    { $0["typ"] = nil }, { $0["typ"] = "at+jwt" }, { $0["typ"] = "AT+JWT" }, { $0["typ"] = "application/at+jwt" },
    { $0["x5t"] = "dGVzdA" }, { $0["x5t#S256"] = "dGVzdA" }, { $0["nonce"] = "unknown" },
  ]

  @Test("Tokens with unusual but valid claims and headers are accepted")
  func accepted() async throws {
    let checker = JWTChecker(rules, over: provider)
    for tokens in [rsa, ec] {
      for change in Self.acceptedClaims { #expect(await refusal(of: try tokens.token(change), by: checker) == nil) }
      for change in Self.acceptedHeaders { #expect(await refusal(of: try tokens.headed(change), by: checker) == nil) }
    }
  }

  @Test("The caller has the tenant, object id, roles, scopes and claims in the token")
  func caller() async throws {
    let checker = JWTChecker(rules, over: provider)
    let caller = try await checker.caller(of: try ec.token(), at: TestTokens.now)
    #expect(caller.tenantId == TestTokens.tenant)
    #expect(caller.objectId == "a11ce000-0000-4000-8000-000000000001")
    #expect(caller.roles == ["Reader"])
    #expect(caller.scopes == ["mam", "openid"])
    #expect(caller.claims == TestTokens.claims)
    let other = try await checker.caller(
      of: try ec.token {
        ($0["scp"], $0["oid"], $0["roles"], $0["scope"]) = (nil, nil, "Writer", "openid mam")
      }, at: TestTokens.now)
    #expect(other.objectId == nil)
    #expect(other.roles == ["Writer"])
    #expect(other.scopes == ["mam", "openid"])
  }

  @Test("If the rules name no tenant, tokens of any tenant or none are accepted")
  func anyTenant() async throws {
    var rules = rules
    rules.tenantId = nil
    let checker = JWTChecker(rules, over: provider)
    #expect(await refusal(of: try ec.token { $0["tid"] = nil }, by: checker) == nil)
    #expect(await refusal(of: try ec.token { $0["tid"] = "other" }, by: checker) == nil)
  }

  @Test("An RSA key without an algorithm verifies PS256 only if the rules allow PS256")
  func unnamedAlgorithm() async throws {
    let rules = TokenRules(issuer: rules.issuer, audiences: rules.audiences, rsaAlgorithms: ["PS256"])
    let token = try rsa.forged("PS256") { signed, _ in try rsa.key.signature(of: signed, by: .ps256) }
    #expect(await refusal(of: token, by: JWTChecker(rules, over: provider)) == nil)
    let wrong = TokenFault.wrongAlgorithm.refusal
    #expect(await refusal(of: try rsa.token(), by: JWTChecker(rules, over: provider)) == wrong)
  }

  @Test("A verified token is accepted until it expires without fetching keys again")
  func verifiedOnce() async throws {
    let checker = JWTChecker(rules, over: provider)
    let token = try ec.token()
    for _ in 1...3 { #expect(await refusal(of: token, by: checker) == nil) }
    let late = TestTokens.now.advanced(by: 3_659_999)
    _ = try await checker.caller(of: token, at: late)
    await #expect(throws: TokenFault.expired.refusal) {
      try await checker.caller(of: token, at: late.advanced(by: 1))
    }
    #expect(provider.keyRequests <= 2)
  }

  @Test("A verified token is refused once its key has been replaced")
  func withdrawnKey() async throws {
    let checker = JWTChecker(rules, over: provider)
    let token = try ec.token { $0["exp"] = .integer(TestTokens.seconds + 86_400) }
    #expect(await refusal(of: token, by: checker) == nil)
    let replaced = try TestTokens("ec").published()
    provider.change { $0.keys = ["keys": [replaced]] }
    // An unknown name leads to another look at the keys.
    await #expect(throws: TokenFault.unknownKey.refusal) {
      try await checker.caller(
        of: try ec.headed { $0["kid"] = "other" }, at: TestTokens.now.advanced(by: 61_000))
    }
    await #expect(throws: TokenFault.wrongSignature.refusal) {
      try await checker.caller(of: token, at: TestTokens.now.advanced(by: 62_000))
    }
  }
}

@Suite struct VerifiedTokensTests {
  @Test("The cache of verified tokens is bounded, keeps tokens in use, and drops expired ones")
  func bound() throws {
    let numbers = try TestKey().publicNumbers()
    let key = try SignatureKey.p256(x: #require(numbers["x"]), y: #require(numbers["y"]))
    let caller = Caller(tenantId: nil, objectId: nil, roles: [], scopes: [], claims: [:])
    let entry = VerifiedTokens.Entry(
      caller: caller, end: Timestamp(milliseconds: 100), keyName: "", algorithm: .es256, key: key)
    let tokens = VerifiedTokens(capacity: 10)
    for number in 0..<100 as Range<UInt8> {
      tokens.insert(entry, [number])
      #expect(tokens.entry([0], at: Timestamp(milliseconds: 1)) != nil)
      #expect(tokens.count <= 10)
    }
    #expect(tokens.entry([50], at: Timestamp(milliseconds: 1)) == nil)
    #expect(tokens.entry([99], at: Timestamp(milliseconds: 100)) == nil)
    #expect(tokens.entry([99], at: Timestamp(milliseconds: 99)) == nil)
  }
}
