import Database
import Support

extension TenantStore {
  /// How long things are kept.
  package struct Retention: Sendable {
    /// After which a registration that does not check in ends.
    package var unseenDays: Int64 = 90
    package var auditDays: Int64 = 400
    /// How long the outcome of an operation may come after its registration has left.
    package var reportDays: Int64 = 30

    package init() {}
  }

  /// Ends what was not seen for long, and deletes what is older than it must be. Returns how many registrations ended.
  package func maintain(_ retention: Retention, at now: Timestamp) async throws(DatabaseError) -> Int {
    try await database.write { session throws(DatabaseError) in
      let ended = try session.endUnseen(before: now.before(days: retention.unseenDays), at: now)
      if ended > 0 {
        try session.append(AuditEntry(now, "service", .leave, "\(ended) registrations", outcome: "unseen"))
      }
      try session.cancelAbandoned(before: now.before(days: retention.reportDays), at: now)
      try session.deleteAudit(before: now.before(days: retention.auditDays))
      let lost = try session.deleteEnded(before: now.before(days: retention.auditDays))
      if lost > 0 {
        try session.append(AuditEntry(now, "service", .cancel, "\(lost) operations", outcome: "registration deleted"))
      }
      return ended
    }
  }
}

extension DatabaseSession {
  /// Deletes registrations that ended before `time`, and operations that nothing refers to any longer. Returns how many
  /// operations were still pending in one of these registrations.
  func deleteEnded(before time: Timestamp) throws(DatabaseError) -> Int64 {
    let pending = try row(
      """
      SELECT count(*) FROM operation_target WHERE state = 'pending' AND registration_id IN (
        SELECT id FROM registration WHERE ended IS NOT NULL AND ended < :time)
      """, ["time": DatabaseValue(time)])
    try run(
      """
      DELETE FROM operation_target WHERE registration_id IN (
        SELECT id FROM registration WHERE ended IS NOT NULL AND ended < :time)
      """, ["time": DatabaseValue(time)])
    try run("DELETE FROM registration WHERE ended IS NOT NULL AND ended < :time", ["time": DatabaseValue(time)])
    try run(
      """
      DELETE FROM operation WHERE ordered < :time AND (ordered_by <> 'folder' OR canceled IS NOT NULL)
        AND NOT EXISTS (SELECT 1 FROM operation_target WHERE operation_target.operation_id = operation.id)
      """, ["time": DatabaseValue(time)])
    return pending?.integer(0) ?? 0
  }
}

extension Timestamp {
  func before(days: Int64) -> Timestamp { advanced(by: -days * CivilDate.millisecondsPerDay) }
}
