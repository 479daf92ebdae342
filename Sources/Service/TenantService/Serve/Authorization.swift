import Database
import HTTP
import Support

/// What the Authorization header of a request is worth.
package enum Authorization: Sendable {
  case caller(Caller)
  /// There is no bearer token.
  case missing
  /// The token is not valid. Why is for the log alone.
  case refused(reason: String)
  /// The keys of the provider cannot be had, so nobody knows whether the token is valid.
  case unavailable(retryAfter: Duration)

  package var caller: Caller? {
    if case .caller(let caller) = self { caller } else { nil }
  }
}

extension HTTPHeaders {
  /// The credentials of an authentication scheme, such as `Bearer`; `nil` if the request has none, or several headers.
  package func credentials(_ scheme: String) -> String? {
    let values = all("Authorization")
    guard values.count == 1 else { return nil }
    let parts = values[0].split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
    guard parts.count == 2, parts[0].lowercased() == scheme.lowercased() else { return nil }
    let credentials = parts[1].drop { $0 == " " }
    return credentials.isEmpty || credentials.contains(" ") ? nil : String(credentials)
  }
}

extension TokenChecker {
  func authorization(of headers: HTTPHeaders, at now: Timestamp) async -> Authorization {
    guard let token = headers.credentials("Bearer") else { return .missing }
    do throws(TokenRefusal) {
      return .caller(try await caller(of: token, at: now))
    } catch {
      switch error {
      case .invalid(let reason): return .refused(reason: reason)
      case .unavailable(let retryAfter): return .unavailable(retryAfter: retryAfter)
      }
    }
  }
}

/// Answers what administrators ask below `/v1.0` and `/beta`.
package protocol GraphRoutes: Sendable {
  /// The first part of the target's path is the version. Answers 401, 403 and 503 in Graph's own shape; the router adds
  /// `request-id`, `client-request-id` and the entry in the access log. `report` gets failures of the store, and what belongs
  /// into the audit besides the request itself.
  func response(
    to request: HTTPRequest, at target: HTTPTarget, by authorization: Authorization,
    report: @Sendable (GraphReport) -> Void
  ) async -> HTTPResponse
}

/// What happened while a request of an administrator was answered.
package enum GraphReport: Sendable {
  /// The store has failed.
  case failure(DatabaseError)
  /// A write, or a part of a batch.
  case call(Call)

  package struct Call: Hashable, Sendable {
    package let method: String
    package let path: String
    package let status: Int
    package let isWrite: Bool

    init(_ method: String, _ target: HTTPTarget, _ status: Int, isWrite: Bool) {
      (self.method, self.status, self.isWrite) = (method, status, isWrite)
      path = "/" + target.path.joined(separator: "/")
    }
  }
}
