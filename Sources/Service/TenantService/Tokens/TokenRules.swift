import Cryptography
import JSON
import Model
import Support

/// Which tokens are accepted.
package struct TokenRules: Sendable {
  /// Exactly as the provider writes it.
  package var issuer: String
  /// A token must be for one of these.
  package var audiences: Set<String>
  /// The claim `tid` of accepted tokens; `nil` if the provider does not write it.
  package var tenantId: String?
  /// The algorithms of an RSA key that names none itself. RS256 alone unless an operator says that the provider signs
  /// with PS256, because a key should serve one scheme only (RFC 8017, section 8), and providers that leave the name out
  /// sign with RS256.
  package var rsaAlgorithms: Set<SignatureAlgorithm> = [.rs256]

  /// The claim by which users without an object id are matched, so that a claim `oid` that is no GUID is none; `nil` to
  /// refuse a token with such an `oid`.
  package var userClaim: String?

  /// `rsaAlgorithms` are names such as `PS256`; none for RS256 alone.
  package init(
    issuer: String, audiences: Set<String>, tenantId: String? = nil, rsaAlgorithms names: [String] = []
  ) {
    self.issuer = issuer
    self.audiences = audiences
    self.tenantId = tenantId
    let named = names.compactMap(SignatureAlgorithm.init(rawValue:))
    if !named.isEmpty { rsaAlgorithms = Set(named) }
  }

  /// How far the clocks of the provider and of this machine may differ, in milliseconds.
  static let skew: Int64 = 60_000

  /// Checks the claims of a token whose signature is right. Returns when it is no longer accepted.
  package func check(_ claims: JSONObject, at now: Timestamp) throws(TokenFault) -> Timestamp {
    guard claims["cnf"] == nil else { throw .boundToKey }
    guard claims["iss"]?.stringValue == issuer else { throw .wrongIssuer }
    guard !audiences.isDisjoint(with: claims.texts("aud")) else { throw .wrongAudience }
    if let tenantId {
      guard claims["tid"]?.stringValue?.lowercased() == tenantId.lowercased() else { throw .wrongTenant }
    }
    guard userClaim != nil || claims["oid"].map({ $0.isNull || $0.isGUID }) ?? true else { throw .objectIdNotGUID }
    guard let expires = claims["exp"]?.time else { throw .noExpiry }
    let end = expires.advanced(by: Self.skew)
    guard now < end else { throw .expired }
    let earliest = now.advanced(by: Self.skew)
    for name in ["nbf", "iat"] {
      guard let value = claims[name] else { continue }
      guard let time = value.time else { throw .timesNotReadable }
      guard time <= earliest else { throw .notYetValid }
    }
    return end
  }
}

extension Caller {
  /// From the claims of a token that was checked by the rules. Scopes are in `scp` (Microsoft Entra) or in `scope` (RFC
  /// 9068).
  package init(_ claims: JSONObject, by rules: TokenRules) {
    func words(_ name: String) -> [String] { claims.texts(name).flatMap { $0.split(separator: " ").map(String.init) } }
    self.init(
      tenantId: claims["tid"]?.stringValue, objectId: claims["oid"].flatMap { $0.isGUID ? $0.stringValue : nil },
      roles: Set(claims.texts("roles")), scopes: Set(words("scp") + words("scope")), claims: claims)
    userClaim = rules.userClaim
  }
}

extension JSONObject {
  /// The texts of a claim that is a string or an array of strings; empty for anything else.
  fileprivate func texts(_ name: String) -> [String] {
    guard let value = self[name] else { return [] }
    return value.stringValue.map { [$0] } ?? value.strings ?? []
  }
}

extension JSONValue {
  /// Whether this is the text of a GUID.
  fileprivate var isGUID: Bool { stringValue?.isGUID ?? false }

  /// From seconds since 1970, which may have a fraction.
  fileprivate var time: Timestamp? {
    guard let seconds = numberValue, seconds.isFinite else { return nil }
    // Far beyond any clock, and exact in milliseconds.
    let bounded = min(max(seconds, -1e12), 1e12)
    return Timestamp(milliseconds: Int64(bounded * 1000))
  }
}
