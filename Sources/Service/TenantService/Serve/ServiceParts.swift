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
  /// How often a user may enroll.
  let enrollments: RequestLimiter
  let options: ServiceOptions
  let clock: any Clock
  let storeTime: StoreTime
  /// What the last maintenance of this process has found.
  let maintenance: MaintenanceWatch
  let holds = HoldWatch()
  let log: @Sendable (String) -> Void

  /// Runs something on the store. A store that is away becomes 503.
  func store<T: Sendable>(
    _ body: @Sendable (TenantStore) async throws(DatabaseError) -> T
  ) async throws(Problem) -> T {
    do throws(DatabaseError) {
      return try await body(tenants)
    } catch {
      report(error)
      guard error.reason == .unavailable else { throw Problem(.failed, "the service has failed; see its log") }
      throw .unavailable("the store of the service is not available", retryAfter: .seconds(options.retryAfter))
    }
  }

  /// Counts a failure of the store, and logs why.
  func report(_ failure: DatabaseError) {
    metrics.count(.storeFailure)
    log("the store failed: \(failure.text)")
  }

  /// The time for what is stored.
  func timeOfStore() async throws(Problem) -> Timestamp {
    try await store { store throws(DatabaseError) in try await storeTime.now(in: store.database) }
  }

  /// A registration, ended or not.
  func registration(_ id: String) async throws(Problem) -> Registration? {
    try await store { store throws(DatabaseError) in try await store.registration(id) }
  }

  func hash(of secret: RegistrationSecret) throws(Problem) -> [UInt8] {
    try orFail { () throws(CryptographyError) in try secret.hash() }
  }

  /// Runs something that only a fault of the library can stop. Then the answer is 500.
  func orFail<T>(_ body: () throws(CryptographyError) -> T) throws(Problem) -> T {
    do throws(CryptographyError) { return try body() } catch {
      log("cryptography failed: \(error)")
      throw Problem(.failed, "the service has failed; see its log")
    }
  }

  /// Throws 429 if somebody asks too often.
  func limit(_ key: RequestLimiter.Key) throws(Problem) {
    if let wait = limiter.take(key, at: clock.now) { throw .tooMany(retryAfter: wait) }
  }

  /// Throws 429 if a user enrolls too often.
  func limitEnrollments(of user: String) throws(Problem) {
    if let wait = enrollments.take(.user(user), at: clock.now) { throw .tooMany(retryAfter: wait) }
  }

  /// Why there is no answer without a caller.
  func refusal(of authorization: Authorization) -> Problem {
    switch authorization {
    case .unavailable(let wait): .unavailable("tokens cannot be checked at the moment", retryAfter: wait)
    case .missing, .refused, .caller: .unauthorized("Bearer")
    }
  }
}
