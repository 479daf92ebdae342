import Cryptography
import JSON

/// A token in the compact form of JSON Web Signature (RFC 7515), read but not verified.
package struct SignedToken: Sendable {
  /// Tokens with many groups have about ten kilobytes.
  package static let largest = 32 << 10

  /// Members of the header that would choose the key or change the meaning of the token. Other members, such as `x5t`,
  /// are ignored.
  private static let forbidden = ["crit", "jku", "jwk", "x5u"]
  private static let types: Set<String> = ["jwt", "at+jwt", "application/at+jwt"]

  package let keyName: String
  package let algorithm: SignatureAlgorithm
  /// The header and the claims as they are signed.
  private let signed: [UInt8]
  private let signature: [UInt8]
  private let encodedClaims: Substring.UTF8View

  package init(_ text: String) throws(TokenFault) {
    guard text.utf8.count <= Self.largest else { throw .tooLarge }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3 else { throw .notThreeParts }
    guard let header = Self.object(parts[0].utf8) else { throw .headerNotReadable }
    guard Self.forbidden.allSatisfy({ header[$0] == nil }) else { throw .forbiddenHeader }
    guard let algorithm = header["alg"]?.stringValue.flatMap(SignatureAlgorithm.init(rawValue:)) else {
      throw .unknownAlgorithm
    }
    guard Self.isTypeRight(header["typ"]) else { throw .wrongType }
    guard let keyName = header["kid"]?.stringValue, !keyName.isEmpty else { throw .noKeyName }
    guard let signature = Base64URL.decode(parts[2].utf8), !signature.isEmpty else { throw .signatureNotReadable }
    (self.keyName, self.algorithm, self.signature) = (keyName, algorithm, signature)
    signed = Array(text.utf8.prefix(parts[0].utf8.count + 1 + parts[1].utf8.count))
    encodedClaims = parts[1].utf8
  }

  /// Verifies the signature, and then reads the claims.
  package func claims(signedWith key: SignatureKey) throws(TokenFault) -> JSONObject {
    do throws(CryptographyError) {
      try key.verify(signature, of: signed, by: algorithm)
    } catch {
      throw .wrongSignature
    }
    guard let claims = Self.object(encodedClaims) else { throw .claimsNotReadable }
    return claims
  }

  /// Providers may leave the type out.
  private static func isTypeRight(_ type: JSONValue?) -> Bool {
    guard let type else { return true }
    return type.stringValue.map { types.contains($0.lowercased()) } ?? false
  }

  /// `nil` for an object with two members of one name, too.
  private static func object(_ text: Substring.UTF8View) -> JSONObject? {
    guard let bytes = Base64URL.decode(text) else { return nil }
    return (try? JSONValue(parsing: bytes))?.objectValue
  }
}
