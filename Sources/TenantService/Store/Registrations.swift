import Database
import Support

extension DatabaseSession {
  /// Ended registrations too.
  package func registration(_ id: String) throws(DatabaseError) -> Registration? {
    try row("SELECT \(Registration.columns) FROM registration WHERE id = :id", ["id": .text(id)])
      .map(Registration.init)
  }

  /// A page of the registrations that have not ended, by id: those after `after`. Of one user, or of all.
  package func registrations(
    of user: String? = nil, after: String = "", limit: Int
  ) throws(DatabaseError) -> [Registration] {
    let select = "SELECT \(Registration.columns) FROM registration WHERE ended IS NULL AND id > :after"
    let end = "ORDER BY id LIMIT \(max(0, limit))"
    guard let user else { return try rows("\(select) \(end)", ["after": .text(after)]).map(Registration.init) }
    return try rows("\(select) AND user_id = :user \(end)", ["after": .text(after), "user": .text(user)])
      .map(Registration.init)
  }

  /// The number of registrations that have not ended. Of one user, or of all.
  package func registrationCount(of user: String? = nil) throws(DatabaseError) -> Int {
    let select = "SELECT count(*) FROM registration WHERE ended IS NULL"
    let row =
      if let user { try row("\(select) AND user_id = :user", ["user": .text(user)]) } else { try row(select) }
    return Int(row?.integer(0) ?? 0)
  }

  /// The users with a registration whose device may be rooted, sorted.
  package func usersWithFlaggedRegistrations() throws(DatabaseError) -> [String] {
    try rows(
      """
      SELECT DISTINCT user_id FROM registration
      WHERE ended IS NULL AND flagged = 1 ORDER BY user_id
      """
    ).compactMap { $0.text(0) }
  }

  /// Adds a registration, or lets one that has ended go on. Ends the one that the account has in the same app on the same
  /// device. Operations that block the user in the app target it.
  func enroll(_ registration: Registration) throws(DatabaseError) {
    try run(
      """
      UPDATE registration SET ended = :now WHERE ended IS NULL AND id <> :id
        AND tenant_id = :tenant AND user_id = :user AND app_id = :app AND device_tag = :tag
      """,
      [
        "now": DatabaseValue(registration.lastSync), "id": .text(registration.id),
        "tenant": .text(registration.tenantId), "user": .text(registration.userId), "app": .text(registration.appId),
        "tag": .text(registration.deviceTag),
      ])
    try run(
      """
      INSERT INTO registration (\(Registration.columns), flagged) VALUES (
        :id, :secretHash, :tenant, :user, :app, :tag, :facts, :applied, :etag, :revision, :created, :lastSync, NULL,
        :flagged)
      ON CONFLICT (id) DO UPDATE SET app_id = excluded.app_id, device_tag = excluded.device_tag,
        facts = excluded.facts, flagged = excluded.flagged, applied = excluded.applied, etag = excluded.etag,
        last_sync = excluded.last_sync, ended = NULL
      """,
      [
        "id": .text(registration.id), "secretHash": .bytes(registration.secretHash),
        "tenant": .text(registration.tenantId), "user": .text(registration.userId), "app": .text(registration.appId),
        "tag": .text(registration.deviceTag), "facts": .text(registration.facts.members.jsonText),
        "applied": .text(registration.applied.stored), "etag": DatabaseValue(registration.etag),
        "revision": .integer(registration.revision), "created": DatabaseValue(registration.created),
        "lastSync": DatabaseValue(registration.lastSync), "flagged": .integer(registration.facts.isJailbroken ? 1 : 0),
      ])
    try targetBlocks(registration)
  }

  /// Notes a check-in of a registration that has not ended. `etag` is `nil` if nothing was delivered. Returns the revision
  /// and how many operations the registration has to carry out, with the same statement, because each one costs a round
  /// trip to the database; `nil` for an unknown registration.
  @discardableResult
  func noteCheckIn(
    of id: String, facts: RegistrationFacts, applied: [AppliedPolicy], etag: String?, at time: Timestamp
  ) throws(DatabaseError) -> (revision: Int64, pendingCount: Int64)? {
    try row(
      """
      UPDATE registration SET facts = :facts, flagged = :flagged, applied = :applied,
        etag = coalesce(CAST(:etag AS TEXT), etag), last_sync = :time
      WHERE id = :id
      RETURNING revision, (
        SELECT count(*) FROM operation_target WHERE registration_id = registration.id AND state = 'pending')
      """,
      [
        "facts": .text(facts.members.jsonText), "flagged": .integer(facts.isJailbroken ? 1 : 0),
        "applied": .text(applied.stored), "etag": DatabaseValue(etag), "time": DatabaseValue(time), "id": .text(id),
      ]
    ).map { ($0.integer(0) ?? 0, $0.integer(1) ?? 0) }
  }

  /// Does nothing to a registration that has ended.
  func end(_ id: String, at time: Timestamp) throws(DatabaseError) {
    try run(
      "UPDATE registration SET ended = :time WHERE id = :id AND ended IS NULL",
      ["time": DatabaseValue(time), "id": .text(id)])
  }

  /// Ends registrations that were last seen before `time`. Returns how many.
  func endUnseen(before time: Timestamp, at now: Timestamp) throws(DatabaseError) -> Int {
    try run(
      "UPDATE registration SET ended = :now WHERE ended IS NULL AND last_sync < :time",
      ["now": DatabaseValue(now), "time": DatabaseValue(time)])
  }
}
