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

  /// What a run of maintenance did.
  package struct MaintenanceReport: Hashable, Sendable {
    /// How many registrations ended.
    package var ended = 0
    package var guarding: MaintenanceGuard
    /// Whether this run noticed that the clock has jumped.
    package var hasJumped: Bool
  }

  /// Ends what was not seen for long, and deletes what is older than it must be, unless the clock may have jumped.
  package func maintain(
    _ retention: Retention, _ run: MaintenanceGuard.Run
  ) async throws(DatabaseError) -> MaintenanceReport {
    try await database.write { session throws(DatabaseError) in
      var guarding = try session.maintenanceGuard()
      let before = guarding
      let hasJumped = guarding.begin(run, isEmpty: try session.isNew(at: run.time))
      try session.save(guarding)
      if hasJumped {
        let subject = "clock after \(before.ran?.description ?? "an unknown time")"
        try session.append(AuditEntry(run.time, "service", .alarm, subject, outcome: "maintenance held"))
      } else if before.isHeld, !guarding.isHeld {
        let outcome = run.isConfirmed ? "confirmed, maintenance goes on" : "maintenance goes on"
        try session.append(AuditEntry(run.time, "service", .alarm, "clock", outcome: outcome))
      }
      var report = MaintenanceReport(guarding: guarding, hasJumped: hasJumped)
      if !guarding.isHeld { report.ended = try session.clean(retention, at: run.time) }
      return report
    }
  }
}

extension DatabaseSession {
  /// Whether there never was a registration, and the audit began within the last day.
  fileprivate func isNew(at now: Timestamp) throws(DatabaseError) -> Bool {
    try row(
      """
      SELECT 1 FROM registration UNION ALL SELECT 1 FROM audit WHERE time < :time OR time > :now LIMIT 1
      """, ["time": DatabaseValue(now.before(days: 1)), "now": DatabaseValue(now)]) == nil
  }

  /// Returns how many registrations ended.
  fileprivate func clean(_ retention: TenantStore.Retention, at now: Timestamp) throws(DatabaseError) -> Int {
    let ended = try endUnseen(before: now.before(days: retention.unseenDays), at: now)
    if ended > 0 { try append(AuditEntry(now, "service", .leave, "\(ended) registrations", outcome: "unseen")) }
    try cancelAbandoned(before: now.before(days: retention.reportDays), at: now)
    try deleteAudit(before: now.before(days: retention.auditDays))
    try deleteEditions(before: now.before(days: retention.auditDays))
    let lost = try deleteEnded(before: now.before(days: retention.auditDays))
    if lost > 0 {
      try append(AuditEntry(now, "service", .cancel, "\(lost) operations", outcome: "registration deleted"))
    }
    return ended
  }

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
