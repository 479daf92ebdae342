import Cryptography
import HTTP

/// Gives the tokens that Graph asks for. A token is kept while it is valid, so asking often is cheap.
package protocol GraphTokens: Sendable {
  /// A token that is valid for some minutes. After a refusal, another token than the last one.
  func token(after refusal: TokenRefused?) async throws(GraphFailure) -> String
}

/// What Graph said when it refused a token.
package struct TokenRefused: Hashable, Sendable {
  /// What the next token must claim, as JSON; `nil` if Graph did not say.
  package let claims: String?

  package init(claims: String? = nil) {
    self.claims = claims
  }

  /// Of a response with status 401: the parameter `claims` of `WWW-Authenticate`, which is base64.
  package init(_ response: HTTPResponse) {
    let challenge = response.headers.all("WWW-Authenticate").joined(separator: ", ")
    claims = challenge.quotedParameter("claims").flatMap { text in
      Base64Text.decode(text).flatMap { String(validating: $0, as: UTF8.self) }
    }
  }
}

extension String {
  /// The value of `name="value"`.
  fileprivate func quotedParameter(_ name: String) -> String? {
    guard let start = ranges(of: "\(name)=\"").first(where: { isBoundary(before: $0.lowerBound) }) else { return nil }
    return String(self[start.upperBound...].prefix { $0 != "\"" })
  }

  private func isBoundary(before index: Index) -> Bool {
    index == startIndex || ", ".contains(self[self.index(before: index)])
  }
}
