import Cryptography
import Database
import JSON
import Support

/// What the answers of the service share.
struct ServiceParts: Sendable {
  let tenants: TenantStore
  let served: ServedTenant
  let hub: ChangeHub
  let metrics: ServiceMetrics
  let limiter: RequestLimiter
  let options: ServiceOptions
  let clock: any Clock
  let log: @Sendable (String) -> Void

  /// Runs something on the store. A store that is away becomes 503.
  func store<T: Sendable>(
    _ body: @Sendable (TenantStore) async throws(DatabaseError) -> T
  ) async throws(Problem) -> T {
    do throws(DatabaseError) {
      return try await body(tenants)
    } catch {
      metrics.count(.storeFailure)
      log("the store failed: \(error.text)")
      guard error.reason == .unavailable else { throw Problem(.failed, "the service has failed; see its log") }
      throw .unavailable("the store of the service is not available", retryAfter: .seconds(options.retryAfter))
    }
  }

  /// A registration, ended or not.
  func registration(_ id: String) async throws(Problem) -> Registration? {
    try await store { store throws(DatabaseError) in try await store.registration(id) }
  }

  func hash(of secret: RegistrationSecret) throws(Problem) -> [UInt8] {
    try trap { () throws(CryptographyError) in try secret.hash() }
  }

  func trap<T>(_ body: () throws(CryptographyError) -> T) throws(Problem) -> T {
    do throws(CryptographyError) { return try body() } catch {
      log("cryptography failed: \(error)")
      throw Problem(.failed, "the service has failed; see its log")
    }
  }

  /// Throws 429 if a user, or a registration without a token, asks too often.
  func limit(_ name: String) throws(Problem) {
    if let wait = limiter.take(name, at: clock.now) { throw .tooMany(retryAfter: wait) }
  }

  /// Why there is no answer without a caller.
  func refusal(of authorization: Authorization) -> Problem {
    switch authorization {
    case .unavailable(let wait): .unavailable("tokens cannot be checked at the moment", retryAfter: wait)
    case .tooMany(let wait): .tooMany(retryAfter: wait)
    case .missing, .refused, .caller: .unauthorized("Bearer")
    }
  }
}
