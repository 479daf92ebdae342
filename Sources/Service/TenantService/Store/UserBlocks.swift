import Database
import Support

/// The block of a user: the apps that are there are wiped, and so is each one that enrolls later, until it is lifted.
extension TenantStore {
  /// Blocks a user, and keeps that in the audit. Returns how many apps are to be wiped now.
  package func blockUser(
    _ user: String, in tenant: String, by actor: String, at time: Timestamp
  ) async throws(DatabaseError) -> Int {
    let id = try Self.block(of: user, in: tenant)
    return try await database.write { session throws(DatabaseError) in
      let count = try session.order(
        Operation(
          id: id, kind: .wipeAndBlock, tenantId: tenant, userId: user, appId: nil, deviceTag: nil, orderedBy: actor,
          ordered: time))
      let entry = AuditEntry(time, actor, .order, "wipeAndBlock \(id) of \(user)", outcome: "\(count) registrations")
      try session.append(entry)
      return count
    }
  }

  /// Lifts the block of a user that an administrator has ordered, and keeps that in the audit. What was not wiped yet is
  /// not wiped any more. Returns false if there was none.
  package func unblockUser(
    _ user: String, in tenant: String, by actor: String, at time: Timestamp
  ) async throws(DatabaseError) -> Bool {
    let id = try Self.block(of: user, in: tenant)
    return try await database.write { session throws(DatabaseError) in
      try session.takeTurn(of: user)
      guard let block = try session.operation(id), block.canceled == nil else { return false }
      try session.cancel(id, at: time)
      try session.append(AuditEntry(time, actor, .cancel, "wipeAndBlock \(id) of \(user)"))
      return true
    }
  }

  /// One user has one block.
  private static func block(of user: String, in tenant: String) throws(DatabaseError) -> String {
    try identifier(of: ["wipeAndBlock", tenant, user])
  }
}
