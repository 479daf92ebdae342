import HTTP
import JSON
import Support

/// What a provider gives for a sign-in or a refresh token.
package struct TokenSet: Sendable {
  package let accessToken: String
  package let expires: Timestamp
  /// `nil` if the one before stays in use, or if there is none.
  let refreshToken: String?
  /// Whose tokens these are, as far as they say it.
  let account: SignInAccount

  /// How long a token counts whose life the provider does not say.
  private static let usualSeconds: Int64 = 300
  private static let longestRefreshToken = 64 << 10

  /// Throws for an answer without a usable token, with what is wrong with it.
  fileprivate init(_ value: JSONValue, at now: Timestamp) throws(Unusable) {
    guard let token = value["access_token"]?.stringValue, token.isHeaderText else {
      throw Unusable(what: "no access_token")
    }
    if let type = value["token_type"]?.stringValue, type.lowercased() != "bearer" {
      throw Unusable(what: "a token of the type \(type.shown(atMost: 40)), not Bearer")
    }
    if let refresh = value["refresh_token"]?.stringValue {
      guard !refresh.isEmpty, refresh.utf8.count <= Self.longestRefreshToken else {
        throw Unusable(what: "a refresh_token that is empty or has more than 64 KiB")
      }
      refreshToken = refresh
    } else {
      refreshToken = nil
    }
    let seconds = value["expires_in"].flatMap { $0.integerValue ?? $0.stringValue.flatMap { Int64($0) } }
    accessToken = token
    expires = now.advanced(by: min(max(seconds ?? Self.usualSeconds, 0), 1 << 31) * 1000)
    account = SignInAccount(of: [value["id_token"]?.stringValue, token].compactMap(\.self))
  }

  fileprivate struct Unusable: Error { let what: String }
}

/// The answer of an endpoint that speaks OAuth.
enum OAuthAnswer: Sendable {
  case object(JSONValue)
  case error(OAuthError)
  /// Nobody knows now: no connection, too slow, or too busy.
  case unavailable(SignInFailure)
}

/// Sends forms to the endpoints of a provider. Answers are bounded in time and size, and redirects are not followed.
struct OAuthClient: Sendable {
  static let patience = Duration.seconds(10)
  static let largestAnswer = 256 << 10

  let endpoints: ProviderEndpoints
  let http: any HTTPClient
  let clock: any Clock

  /// Throws for a connection that cannot work, or an answer that is none.
  func post(_ fields: [(name: String, value: String)], to url: String) async throws(SignInFailure) -> OAuthAnswer {
    let response: HTTPResponse
    do throws(HTTPFailure) {
      response = try await http.send(
        .form(url, fields), patience: Self.patience, largestBody: Self.largestAnswer)
    } catch {
      let failure = SignInFailure(.unavailable, "Cannot ask the identity provider at \(url): \(error.text)")
      switch error.kind {
      case .cancelled: throw .canceled
      case .badURL, .notTrusted, .tooLarge: throw failure
      case .cannotConnect, .late, .cutOff: return .unavailable(failure)
      }
    }
    return try answer(response, url)
  }

  private func answer(_ response: HTTPResponse, _ url: String) throws(SignInFailure) -> OAuthAnswer {
    let value = try? JSONValue(parsing: response.body)
    if response.status == 429 || response.status >= 500 {
      return .unavailable(
        SignInFailure(
          .unavailable, "The identity provider cannot answer \(url) now (status \(response.status)).",
          retryAfter: response.headers.retryAfter(at: clock.now)))
    }
    // Providers differ in the status: 400, 401, 403, and some even 200. Some give no reason at all.
    let isSilent = [400, 401, 403].contains(response.status) && response.body.isEmpty
    if let error = value.flatMap(OAuthError.init) ?? (isSilent ? OAuthError(status: response.status) : nil) {
      guard !error.isPassing else {
        return .unavailable(
          SignInFailure(.unavailable, "The identity provider \(endpoints.provider) is busy: \(error.text)"))
      }
      return .error(error)
    }
    guard !response.isWebPage else {
      throw SignInFailure(
        .unavailable, "The identity provider: " + HTTPResponse.webPageText(from: url, status: response.status))
    }
    guard (200..<300).contains(response.status), let value, value.objectValue != nil else {
      throw SignInFailure(
        .unavailable,
        "The identity provider answers \(url) with status \(response.status), but not as OAuth 2.0 says. Check the "
          + "address, and whether a proxy is in between.")
    }
    return .object(value)
  }

  func tokens(_ value: JSONValue) throws(SignInFailure) -> TokenSet {
    do throws(TokenSet.Unusable) {
      return try TokenSet(value, at: clock.now)
    } catch {
      throw SignInFailure(.refused, "The answer of \(endpoints.token) has \(error.what).")
    }
  }
}
