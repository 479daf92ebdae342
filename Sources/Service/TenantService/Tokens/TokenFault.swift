/// Why a token is refused. The texts are for the log and the metrics, so they hold nothing of the token.
package enum TokenFault: String, Error, CaseIterable, Sendable {
  case tooLarge = "the token is larger than 32 KiB"
  case notThreeParts = "the token does not have three parts"
  case headerNotReadable = "the header is not a JSON object in base64url without padding"
  case claimsNotReadable = "the claims are not a JSON object in base64url without padding"
  case signatureNotReadable = "the signature is not base64url without padding"
  case unknownAlgorithm = "the algorithm is not RS256, PS256 or ES256"
  case forbiddenHeader = "the header has crit, jku, jwk or x5u"
  case wrongType = "the type is not JWT or at+jwt"
  case noKeyName = "the header names no key"
  case development = "the token is from a development tenant, whose tokens prove nothing"
  case unknownKey = "the provider has no key of this name"
  case wrongAlgorithm = "the key of this name is for another algorithm"
  case wrongSignature = "the signature is wrong"
  case boundToKey = "the token is bound to a key of its owner (cnf), which is not checked"
  case wrongIssuer = "the token is from another issuer"
  case wrongAudience = "the token is for another audience"
  case wrongTenant = "the token is for another tenant"
  case noExpiry = "the token does not say when it expires"
  case expired = "the token has expired"
  case timesNotReadable = "nbf or iat is not a number"
  case notYetValid = "the token is not valid yet"
  case objectIdNotGUID =
    "the claim oid is no GUID, so it is no object id; --user-claim matches the users of such a provider by another claim"

  package var refusal: TokenRefusal { .invalid(reason: rawValue) }
}
