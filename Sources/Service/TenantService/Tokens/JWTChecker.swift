import Cryptography
import HTTP
import Support

/// Accepts the tokens that an identity provider signs for this service: JSON Web Tokens (RFC 7519, RFC 9068).
///
/// The header only names the key and its algorithm. Which pairs of a name and an algorithm exist is what the provider
/// publishes, so a token chooses neither an algorithm that its key is not for, nor a key of its own.
package final class JWTChecker: TokenChecker {
  private let rules: TokenRules
  private let keys: ProviderKeys
  private let verified: VerifiedTokens

  /// `client` asks the identity provider. `report` gets a sentence when the provider cannot be asked.
  package init(
    _ rules: TokenRules, over client: any HTTPClient, report: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.rules = rules
    keys = ProviderKeys(rules, client, report)
    verified = VerifiedTokens()
  }

  /// So a wrong setting, and a provider that cannot be reached, are reported before the first token.
  @discardableResult
  package func prepare(at now: Timestamp) async -> Bool { await keys.prepare(at: now) }

  package var provider: ProviderStanding? { keys.standing }

  /// The time by the clock of the identity provider; `nil` if it cannot be asked over https.
  package func providerTime() async -> Timestamp? { await keys.providerTime() }

  package func caller(of token: String, at now: Timestamp) async throws(TokenRefusal) -> Caller {
    guard token.utf8.count <= SignedToken.largest else { throw TokenFault.tooLarge.refusal }
    guard let digest = try? SHA256.digest(Array(token.utf8)) else { throw .unavailable(retryAfter: .seconds(1)) }
    if let entry = verified.entry(digest, at: now) {
      // A provider that withdraws a key withdraws the tokens that it has signed.
      guard try await keys.key(entry.keyName, entry.algorithm, at: now) == entry.key else {
        throw TokenFault.wrongSignature.refusal
      }
      return entry.caller
    }
    let entry = try await verify(token, at: now)
    verified.insert(entry, digest)
    return entry.caller
  }

  private func verify(_ text: String, at now: Timestamp) async throws(TokenRefusal) -> VerifiedTokens.Entry {
    let token: SignedToken
    do throws(TokenFault) { token = try SignedToken(text) } catch { throw error.refusal }
    guard !token.keyName.hasPrefix(DevelopmentMark.keyPrefix) else { throw TokenFault.development.refusal }
    let key = try await keys.key(token.keyName, token.algorithm, at: now)
    do throws(TokenFault) {
      let claims = try token.claims(signedWith: key)
      let end = try rules.check(claims, at: now)
      return VerifiedTokens.Entry(
        caller: Caller(claims, by: rules), end: end, keyName: token.keyName, algorithm: token.algorithm, key: key)
    } catch {
      throw error.refusal
    }
  }
}
