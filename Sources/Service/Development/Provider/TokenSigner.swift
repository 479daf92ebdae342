import Cryptography
import JSON
import Support
import TenantService

/// Signs tokens with a key of this run, and knows them again.
package final class TokenSigner: Sendable {
  /// Marked, so that real services refuse the tokens even without their provider.
  let keyName: String
  private let key: SigningKey
  private let verifier: SignatureKey
  /// The key as JWKS publishes it.
  let published: JSONObject

  package init() throws(CryptographyError) {
    key = try SigningKey.made()
    let (modulus, exponent) = try key.publicNumbers()
    verifier = try SignatureKey.rsa(modulus: modulus, exponent: exponent)
    keyName = DevelopmentMark.keyPrefix + .randomUUID
    published = [
      "kty": "RSA", "use": "sig", "alg": "RS256", "kid": .string(keyName),
      "n": .string(Base64URL.encode(modulus)), "e": .string(Base64URL.encode(exponent)),
    ]
  }

  func token(_ claims: JSONObject) throws(CryptographyError) -> String {
    var claims = claims
    claims[DevelopmentMark.member] = true
    let header: JSONObject = ["typ": "JWT", "alg": "RS256", "kid": .string(keyName)]
    let signed = [header, claims].map { Base64URL.encode($0.jsonText.utf8) }.joined(separator: ".")
    return signed + "." + Base64URL.encode(try key.sign(Array(signed.utf8), .rs256))
  }

  func claims(of text: String) throws(TokenFault) -> JSONObject {
    let token = try SignedToken(text)
    guard token.keyName == keyName, token.algorithm == .rs256 else { throw .unknownKey }
    return try token.claims(signedWith: verifier)
  }
}

/// Accepts the tokens of this run alone.
package struct DevelopmentTokens: TokenChecker {
  private let signer: TokenSigner
  private let rules: TokenRules

  package init(_ signer: TokenSigner, _ rules: TokenRules) { (self.signer, self.rules) = (signer, rules) }

  package func caller(of token: String, at now: Timestamp) async throws(TokenRefusal) -> Caller {
    do throws(TokenFault) {
      let claims = try signer.claims(of: token)
      _ = try rules.check(claims, at: now)
      return Caller(claims, by: rules)
    } catch {
      throw error.refusal
    }
  }
}
