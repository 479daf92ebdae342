import Cryptography
import Database
import Support

/// What the service keeps: registrations, operations, the version of the tenant that is served, and the audit.
package struct TenantStore: Sendable {
  package let database: any Database

  /// Brings the schema up to date.
  package init(_ database: some Database) async throws(DatabaseError) {
    try await DatabaseSchema.tenant.apply(to: database)
    self.database = database
  }

  /// The caller has made sure that the schema is up to date.
  package init(current database: some Database) {
    self.database = database
  }

  /// The schema is looked after by the database itself.
  package init(prepared database: PreparedDatabase) {
    self.database = database
  }

  /// A registration, ended or not.
  package func registration(_ id: String) async throws(DatabaseError) -> Registration? {
    try await database.read { session throws(DatabaseError) in try session.registration(id) }
  }

  /// A page of the registrations that have not ended, or ended at `endedSince` or later, by id: those after `after`. Of
  /// one user, or of all.
  package func registrations(
    of user: String? = nil, after: String = "", limit: Int, endedSince: Timestamp? = nil
  ) async throws(DatabaseError) -> [Registration] {
    try await database.read { session throws(DatabaseError) in
      try session.registrations(of: user, after: after, limit: limit, endedSince: endedSince)
    }
  }

  /// Whether a user has registrations that did not leave, or left at `endedSince` or later.
  package func hasRegistrations(
    of user: String, endedSince: Timestamp? = nil
  ) async throws(DatabaseError) -> Bool {
    try await database.read { session throws(DatabaseError) in
      try session.hasRegistrations(of: user, endedSince: endedSince)
    }
  }

  package func registrationCount(
    of user: String? = nil, endedSince: Timestamp? = nil
  ) async throws(DatabaseError) -> Int {
    try await database.read { session throws(DatabaseError) in
      try session.registrationCount(of: user, endedSince: endedSince)
    }
  }

  package func usersWithFlaggedRegistrations() async throws(DatabaseError) -> [String] {
    try await database.read { session throws(DatabaseError) in try session.usersWithFlaggedRegistrations() }
  }

  /// All operations that target a registration, by the time of the order.
  package func operations(of registration: String) async throws(DatabaseError) -> [TargetedOperation] {
    try await database.read { session throws(DatabaseError) in try session.operations(of: registration) }
  }

  /// The operations of the registrations with ids in a range, each by the time of the order. Of one user, or of all.
  package func operations(
    from first: String, through last: String, user: String?
  ) async throws(DatabaseError) -> [TargetedOperation] {
    try await database.read { session throws(DatabaseError) in
      try session.operations(from: first, through: last, user: user)
    }
  }

  /// For so long after an order, in milliseconds, the same request orders nothing else.
  private static let repetition: Int64 = 3_600_000

  /// Orders the wipe of all apps of a user on a device. Returns how many registrations it targets; 0, and nothing is
  /// ordered, if the user has none there. `actor` is the object id of the administrator. `request` names the request for
  /// an hour: if it comes again, because its sender could not know whether it was carried out, it returns the same.
  package func orderWipe(
    of user: String, in tenant: String, onDevice tag: String, by actor: String, request: String? = nil,
    at time: Timestamp
  ) async throws(DatabaseError) -> Int {
    let new = String.randomUUID
    let named = try request.map { request throws(DatabaseError) in
      try Self.identifier(of: [actor, tenant, user, tag, request])
    }
    return try await database.write { session throws(DatabaseError) in
      try session.takeTurn(of: user)
      let earlier = try named.flatMap { id throws(DatabaseError) in try session.operation(id) }
      if let earlier, time < earlier.ordered.advanced(by: Self.repetition) {
        return try session.targetCount(of: earlier.id)
      }
      let operation = Operation(
        id: earlier == nil ? named ?? new : new, kind: .wipe, tenantId: tenant, userId: user, appId: nil,
        deviceTag: tag, orderedBy: actor, ordered: time)
      let count = try session.order(operation)
      let outcome = count == 0 ? "no registration" : "\(count) registrations"
      try session.append(AuditEntry(time, actor, .order, "wipe \(operation.id) of \(user) on \(tag)", outcome: outcome))
      return count
    }
  }

  package func time(by clock: StoreTime) async throws(DatabaseError) -> Timestamp {
    try await clock.now(in: database)
  }

  package func append(_ entry: AuditEntry) async throws(DatabaseError) {
    try await database.writeInGroup { session throws(DatabaseError) in try session.append(entry) }
  }

  package func auditEntries(
    after: Int64 = 0, limit: Int
  ) async throws(DatabaseError) -> [(number: Int64, entry: AuditEntry)] {
    try await database.read { session throws(DatabaseError) in try session.auditEntries(after: after, limit: limit) }
  }

  /// The UUID that is made of texts, in lower case.
  static func identifier(of texts: [String]) throws(DatabaseError) -> String {
    do {
      return String(uuid: Array(try SHA256.digest(Array(texts.joined(separator: "\n").utf8)).prefix(16)), version: 8)
    } catch {
      throw DatabaseError(.failed, "no SHA-256: \(error)")
    }
  }
}
