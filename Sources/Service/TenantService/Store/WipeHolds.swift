import Database
import Model
import Support

/// The hold of all wipes: until it is lifted, no host is told of an ordered wipe, and every host blocks instead of wiping.
package struct StoredHold: Hashable, Sendable {
  package let why: String
  /// Who has given the reason.
  package let actor: String
  /// When the hold began, whoever has changed the reason since.
  package let since: Timestamp
}

extension TenantStore {
  /// `nil` if wipes are not on hold.
  package func wipeHold() async throws(DatabaseError) -> StoredHold? {
    try await database.read { session throws(DatabaseError) in try session.wipeHold() }
  }

  /// How many registrations have a wipe that is ordered and not carried out, or a block. Not those that have left.
  package func waitingWipes() async throws(DatabaseError) -> Int {
    try await database.read { session throws(DatabaseError) in
      let row = try session.row(
        """
        SELECT count(DISTINCT registration.id) FROM operation_target
        JOIN registration ON registration.id = operation_target.registration_id
        WHERE operation_target.state = 'pending' AND coalesce(registration.end_reason, '') <> 'left'
        """)
      return Int(row?.integer(0) ?? 0)
    }
  }

  /// Puts wipes on hold, or replaces the reason. The same reason again only wakes hosts. No check-in that is answered from
  /// now on begins a wipe. Returns the hold.
  @discardableResult
  package func holdWipes(
    because why: String, by actor: String, at time: Timestamp
  ) async throws(DatabaseError) -> StoredHold {
    let hold = try await database.write { session throws(DatabaseError) in
      let before = try session.wipeHold()
      if let before, before.why == why { return before }
      let hold = StoredHold(why: why, actor: actor, since: before?.since ?? time)
      try session.setWipeHold(hold)
      try session.append(AuditEntry(time, actor, .hold, AuditEntry.wipes, outcome: why))
      return hold
    }
    try await wakeHosts()
    return hold
  }

  /// Lifts the hold. Hosts carry out the wipes that wait at their next check-in, but for those that administrators have
  /// ordered, with `cancelsOrders`. Returns the hold that was; `nil` if there was none, and nothing changes.
  package func liftHold(
    by actor: String, at time: Timestamp, cancelsOrders: Bool = false
  ) async throws(DatabaseError) -> StoredHold? {
    let lifted = try await database.write { session throws(DatabaseError) -> StoredHold? in
      guard let before = try session.wipeHold() else { return nil }
      if cancelsOrders { try session.cancelWaitingWipes(by: actor, at: time) }
      try session.setWipeHold(nil)
      try session.append(
        AuditEntry(time, actor, .lift, AuditEntry.wipes, outcome: "on hold since \(before.since): \(before.why)"))
      return before
    }
    if lifted != nil { try await wakeHosts() }
    return lifted
  }

  /// So many registrations get another revision in one transaction. With PostgreSQL, a transaction about all of them would
  /// begin again with each check-in of a busy service, and check-ins would wait for it.
  private var wokenAtOnce: Int64 { database.engine == .postgreSQL ? 500 : .max }

  /// Every registration gets another revision, so that hosts which wait for changes check in. The hold is stored before.
  private func wakeHosts() async throws(DatabaseError) {
    let limit = wokenAtOnce
    var last: String? = ""
    while let after = last {
      last = try await database.write { session throws(DatabaseError) in
        let ids = try session.rows(
          "SELECT id FROM registration WHERE id > :after ORDER BY id LIMIT :limit",
          ["after": .text(after), "limit": .integer(limit)]
        ).compactMap { $0.text(0) }
        guard let end = ids.last else { return nil }
        try session.run(
          "UPDATE registration SET revision = revision + 1 WHERE id > :after AND id <= :end",
          ["after": .text(after), "end": .text(end)])
        try session.notify(ServiceNotice.hold.text)
        return end
      }
    }
  }
}

extension AuditEntry {
  /// The subject of a hold.
  fileprivate static let wipes = "wipes"
}

extension DatabaseSession {
  func wipeHold() throws(DatabaseError) -> StoredHold? {
    try row("SELECT why, actor, since FROM wipe_hold").flatMap { StoredHold($0, from: 0) }
  }

  /// Not those of tenant.json, which are ordered again as long as they are listed, and no blocks, which are lifted
  /// themselves.
  fileprivate func cancelWaitingWipes(by actor: String, at time: Timestamp) throws(DatabaseError) {
    let waiting = try rows(
      """
      SELECT id, user_id FROM operation WHERE kind = 'wipe' AND canceled IS NULL AND ordered_by <> :folder
      AND EXISTS (SELECT 1 FROM operation_target WHERE operation_id = operation.id AND state = 'pending')
      """, ["folder": .text(Operation.folder)])
    for row in waiting {
      guard let id = row.text(0) else { continue }
      try cancel(id, at: time)
      try append(AuditEntry(time, actor, .cancel, "wipe \(id) of \(row.text(1) ?? "")"))
    }
  }

  fileprivate func setWipeHold(_ hold: StoredHold?) throws(DatabaseError) {
    try run("DELETE FROM wipe_hold")
    if let hold {
      try run(
        "INSERT INTO wipe_hold (number, why, actor, since) VALUES (1, :why, :actor, :since)",
        ["why": .text(hold.why), "actor": .text(hold.actor), "since": DatabaseValue(hold.since)])
    }
    try notify(ServiceNotice.hold.text)
  }
}

extension StoredHold {
  /// The columns of the hold as part of another query, which has a row without a hold, too.
  static let subqueries = "(SELECT why FROM wipe_hold), (SELECT actor FROM wipe_hold), (SELECT since FROM wipe_hold)"

  /// `nil` if the columns from the first on are NULL.
  init?(_ row: DatabaseRow, from first: Int) {
    guard let since = row.time(first + 2) else { return nil }
    self.init(why: row.text(first) ?? "", actor: row.text(first + 1) ?? "", since: since)
  }
}

/// The hold as this process has last seen it, for what need not be exact to the second.
final class HoldWatch: Sendable {
  private let state = Lock<StoredHold?>(nil)

  var hold: StoredHold? { state.withLock { $0 } }

  /// Returns a line for the log if something has changed; `nil` otherwise.
  func note(_ hold: StoredHold?) -> String? {
    state.withLock { known in
      guard known != hold else { return nil }
      known = hold
      guard let hold else { return "wipes are no longer on hold: hosts carry out those that wait" }
      return """
        \(WipeHold.sentence(since: hold.since.description, by: hold.actor, why: hold.why)) Hosts block instead. End the hold \
        with mambridge-tenant hold lift
        """
    }
  }
}
