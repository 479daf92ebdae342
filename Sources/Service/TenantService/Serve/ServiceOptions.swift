import Tenancy

/// The limits and intervals of the service.
package struct ServiceOptions: Sendable {
  /// The name that the service gives itself.
  package var name = "mambridge-tenant"
  /// How hosts get tokens, whatever tenant.json says; `nil` for what it says.
  package var authentication: TenantAuthentication?
  /// How hosts get tokens if tenant.json does not say it either.
  package var usualAuthentication: TenantAuthentication?
  /// Matches users by this claim if a token has no object id. Off by default: whoever gets the name of a user then gets
  /// the account.
  package var userClaim: String?
  /// Whether hosts block accounts whose policies set what the host does not know; `nil` for what tenant.json says.
  package var blocksUnknownRestrictions: Bool?
  /// In bytes.
  package var largestBody = 1 << 20
  /// In seconds; hosts check in after a random time between both.
  package var checkInInterval: ClosedRange<Int> = 1500...2100
  /// In seconds; hosts check in after a change of a policy at a random time within it.
  package var policySpread = 300
  /// The same while wipes are on hold.
  package var holdSpread = 30
  /// The number of `changes` requests that wait at the same time.
  package var openPolls = 2000
  /// How many of them one registration may have; one more displaces the oldest.
  package var openPollsOfRegistration = 2
  /// How many registrations one user may have, and how many enrollments at once and in a second.
  package var registrationsOfUser = 500
  package var enrollmentBurst = 120.0
  package var enrollmentsPerSecond = 1.0 / 60
  /// What one user may ask at once, and how many requests come back in a second.
  package var requestBurst = 120.0
  package var requestsPerSecond = 4.0
  /// In seconds; how long to wait after 503.
  package var retryAfter = 5
  package var retention = TenantStore.Retention()

  package init() {}
}
